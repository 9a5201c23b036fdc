/*
 * Becomes a command when a line arrives: gate PIPE COMMAND [ARGUMENT...]. If the pipe ends first, the program exits
 * with status 125. An archive has it because a host may have no shell. It corresponds to the script in Spawn.java.
 */
#include "system.h"
#include "text.h"

#define ENDED 125
/* The statuses of a shell for a command that cannot be executed, and for one that is not found. */
#define NOT_EXECUTED 126
#define NOT_FOUND 127
#define SHELL "/bin/sh"
#define DEFAULT_PATH "/usr/bin:/bin"

/* Returns true if a line arrived. */
static bool await_line(const char *path) {
    long pipe = system_open(path);
    char byte = 0;
    while (pipe >= 0 && byte != '\n') {
        long count = system_read((int)pipe, &byte, 1);
        if (count != 1 && count != -EINTR) {
            break;
        }
    }
    if (pipe >= 0) {
        system_close((int)pipe);
    }
    return byte == '\n';
}

/* Executes a file; one without a program's format is a script for the shell, as in execvp(3). Returns the error. */
static long execute(char *file, char **command, char **environment) {
    long error = system_execve(file, command, environment);
    if (error != -ENOEXEC) {
        return error;
    }
    size_t count = 0;
    while (command[count] != NULL) {
        count++;
    }
    char **line = allocate((count + 2) * sizeof *line);
    line[0] = JOIN(SHELL);
    line[1] = file;
    for (size_t i = 1; i < count; i++) {
        line[i + 1] = command[i];
    }
    return system_execve(SHELL, line, environment);
}

static const char *search_path(char **environment) {
    for (; *environment != NULL; environment++) {
        const char *rest = text_after(*environment, "PATH=");
        if (rest != NULL) {
            return rest;
        }
    }
    return DEFAULT_PATH;
}

/* Executes the first program of this name on the path. Returns the error. */
static long search(char **command, char **environment) {
    long error = -ENOENT;
    const char *at = search_path(environment);
    while (at != NULL) {
        const char *end = text_find(at, ":");
        size_t length = end == NULL ? text_length(at) : (size_t)(end - at);
        char *folder = allocate(length + 1);
        for (size_t i = 0; i < length; i++) {
            folder[i] = at[i];
        }
        long result = execute(length == 0 ? JOIN("./", command[0]) : JOIN(folder, "/", command[0]), command,
                              environment);
        if (result != -ENOENT && result != -ENOTDIR) {
            error = result;
        }
        at = end == NULL ? NULL : end + 1;
    }
    return error;
}

int run(char **arguments, char **environment) {
    if (arguments[0] == NULL || arguments[1] == NULL || arguments[2] == NULL || !await_line(arguments[1])) {
        return ENDED;
    }
    char **command = arguments + 2;
    long error = text_find(command[0], "/") != NULL ? execute(command[0], command, environment)
                                                    : search(command, environment);
    SAY("cannot start ", command[0], ": ", error_text(-error), " [program-not-started]");
    return error == -ENOENT ? NOT_FOUND : NOT_EXECUTED;
}
