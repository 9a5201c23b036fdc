/*
 * Every program that this JVM starts inherits the environment variables that loaded this library. The parts that Mayfly
 * added are removed again, because with them a JVM does not start once Mayfly's files have been removed. The bytes
 * themselves are overwritten, so that /proc/PID/environ shows the parts only for processes that still have them.
 */
#define _GNU_SOURCE
#include "variable.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS "JAVA_TOOL_OPTIONS"
#define PRELOAD "LD_PRELOAD"
#define PRELOAD_LIBRARY "/libmayflypreload.so"

/* Removes a word from the value of a variable, whose words are separated by one of these characters. */
static void take_back(const char *variable, const char *added, const char *separators) {
    char *value = getenv(variable);
    size_t length = strlen(added);
    char *at = value == NULL ? NULL : strstr(value, added);
    bool has_before = at != NULL && at > value && strchr(separators, at[-1]) != NULL;
    if (at != NULL && (at == value || has_before) && (at[length] == 0 || strchr(separators, at[length]) != NULL)) {
        char *rest = at + length;
        at -= has_before ? 1 : 0;
        rest += !has_before && *rest != 0 ? 1 : 0;
        size_t kept = strlen(rest);
        char *end = rest + kept;
        memmove(at, rest, kept);
        memset(at + kept, 0, (size_t)(end - at) - kept);
        if (value[strspn(value, separators)] == 0) {
            unsetenv(variable);
        }
    }
}

/* Called before any Java thread runs and before Java reads the environment. */
void variable_take_back(const char *library, const char *options) {
    char *added;
    if (asprintf(&added, "-agentpath:%s=%s", library, options) >= 0) {
        take_back(OPTIONS, added, " ");
        free(added);
    }
    const char *name = strrchr(library, '/');
    int folder = name == NULL ? 0 : (int)(name - library);
    if (asprintf(&added, "%.*s" PRELOAD_LIBRARY, folder, library) >= 0) {
        take_back(PRELOAD, added, ": ");
        free(added);
    }
}
