/*
 * The environment variable that brought us here is inherited by every program that this JVM starts. What was added to it goes
 * again: a JVM that is started when our files are gone would not start at all. The bytes themselves are overwritten, so that
 * /proc/PID/environ tells who still has them.
 */
#define _GNU_SOURCE
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "JAVA_TOOL_OPTIONS"

/* Before any thread of Java runs, and before Java has looked at the environment. */
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
