#include "command.h"

#include "text.h"

#define LOADER "/runtime/glibc/ld-linux-x86-64.so.2"
#define KEPT "MAYFLY_KEPT_"
/* The width for a terminal that does not report it. */
#define COLUMNS 100

/*
 * The first three are read by a JVM, the others by the dynamic loader of a glibc: libraries of the host may be
 * incompatible with the glibc of the archive.
 */
static const char *const kept[] = {
    "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT",
};

bool command_is_usable(const char *home) {
    /* Each divides a list of paths, or begins a token such as $ORIGIN, see ld.so(8). */
    return text_find(home, ":;$") == NULL;
}

char *command_program(const char *home) {
    return JOIN(home, LOADER);
}

static size_t count(char **list) {
    size_t length = 0;
    while (list[length] != NULL) {
        length++;
    }
    return length;
}

/* Returns the next line that is not empty, and moves the position to the text after it; NULL at the end. */
static char *next_line(const char **at) {
    while (**at == '\n') {
        ++*at;
    }
    if (**at == 0) {
        return NULL;
    }
    const char *end = text_find(*at, "\n");
    size_t length = end == NULL ? text_length(*at) : (size_t)(end - *at);
    char *line = allocate(length + 1);
    for (size_t i = 0; i < length; i++) {
        line[i] = (*at)[i];
    }
    *at += length;
    return line;
}

static size_t count_lines(const char *text) {
    size_t lines = 1;
    for (; *text != 0; text++) {
        lines += *text == '\n';
    }
    return lines;
}

static char *class_path(const struct facts *facts) {
    const char **parts = allocate((count_lines(facts->jars) * 4 + 1) * sizeof *parts);
    size_t length = 0;
    const char *at = facts->jars;
    for (char *jar = next_line(&at); jar != NULL; jar = next_line(&at)) {
        if (length > 0) {
            parts[length++] = ":";
        }
        parts[length++] = facts->home;
        parts[length++] = "/app/";
        parts[length++] = jar;
    }
    return text_join(parts);
}

/*
 * An audit stores the name of every class, and a comparison stores those of two audits. A dump with virtual threads
 * copies their stacks before it decodes them.
 */
static const char *heap(char **given) {
    const char *command = given[0] == NULL || given[1] == NULL ? "" : given[1];
    bool has_virtual = false;
    for (char **at = given; *at != NULL; at++) {
        has_virtual = has_virtual || text_equals(*at, "--virtual");
    }
    if (text_equals(command, "audit")) {
        return "-Xmx512m";
    }
    return text_equals(command, "stack") && has_virtual ? "-Xmx768m" : "-Xmx96m";
}

static const char *truth(bool value) {
    return value ? "true" : "false";
}

char **command_arguments(const struct facts *facts, char **given) {
    char **arguments = allocate((count(given) + count_lines(facts->options) + 24) * sizeof *arguments);
    char **end = arguments;
    *end++ = command_program(facts->home);
    *end++ = JOIN("--inhibit-cache");
    *end++ = JOIN("--library-path");
    *end++ = JOIN(facts->home, "/runtime/glibc");
    *end++ = JOIN(facts->home, "/runtime/bin/java");
    if (facts->has_cache) {
        *end++ = JOIN("-XX:AOTCache=", facts->home, "/app/mayfly.aot");
    }
    const char *at = facts->options;
    for (char *option = next_line(&at); option != NULL; option = next_line(&at)) {
        *end++ = option;
    }
    *end++ = JOIN(heap(given));
    /* The JVM's helper for starting programs needs the host's glibc. */
    *end++ = JOIN("-Djdk.lang.Process.launchMechanism=FORK");
    *end++ = JOIN("-Dmayfly.archive=", *facts->home == 0 ? "/" : facts->home);
    *end++ = JOIN("-Dmayfly.stdout.tty=", truth(facts->out_is_terminal));
    *end++ = JOIN("-Dmayfly.columns=", text_number(facts->columns == 0 ? COLUMNS : facts->columns));
    *end++ = JOIN("-Dmayfly.stderr.tty=", truth(facts->err_is_terminal));
    *end++ = JOIN("--enable-native-access=ALL-UNNAMED");
    *end++ = JOIN("-cp");
    *end++ = class_path(facts);
    *end++ = JOIN("mayfly.cli.Main");
    for (char **argument = given[0] == NULL ? given : given + 1; *argument != NULL; argument++) {
        *end++ = *argument;
    }
    return arguments;
}

/* Returns the value of a variable if this is one of those that are kept, or NULL. */
static const char *kept_value(const char *variable) {
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        const char *rest = text_after(variable, kept[i]);
        if (rest != NULL && *rest == '=') {
            return rest + 1;
        }
    }
    return NULL;
}

char **command_environment(char **given) {
    char **environment = allocate((count(given) + 1) * sizeof *environment);
    char **end = environment;
    for (char **variable = given; *variable != NULL; variable++) {
        const char *value = kept_value(*variable);
        if (value == NULL) {
            /* Skips a variable that an outer "mayfly run" kept: it has been restored under its own name. */
            if (text_after(*variable, KEPT) == NULL) {
                *end++ = *variable;
            }
        } else if (*value != 0) {
            *end++ = JOIN(KEPT, *variable);
        }
    }
    return environment;
}
