/*
 * Every program that this JVM starts inherits the environment variable that loaded this library. The part that Mayfly
 * added is removed again, because with it a JVM does not start once Mayfly's files have been removed. The bytes
 * themselves are overwritten, so that /proc/PID/environ shows the part only for processes that still have it.
 */
#define _GNU_SOURCE
#include "variable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "JAVA_TOOL_OPTIONS"

/* Called before any Java thread runs and before Java reads the environment. */
void variable_take_back(const char *library, const char *options) {
    char *value = getenv(VARIABLE);
    char *added;
    if (value == NULL || asprintf(&added, "-agentpath:%s=%s", library, options) < 0) {
        return;
    }
    size_t length = strlen(added);
    char *at = strstr(value, added);
    if (at != NULL && (at[length] == 0 || at[length] == ' ')) {
        char *rest = at + length;
        at -= at > value && at[-1] == ' ' ? 1 : 0;
        size_t kept = strlen(rest);
        char *end = rest + kept;
        memmove(at, rest, kept);
        memset(at + kept, 0, (size_t)(end - at) - kept);
        if (value[strspn(value, " ")] == 0) {
            unsetenv(VARIABLE);
        }
    }
    free(added);
}
