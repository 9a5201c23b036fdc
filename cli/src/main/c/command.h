/* The command by which the launcher of an archive starts the JVM. */
#ifndef MAYFLY_COMMAND_H
#define MAYFLY_COMMAND_H

#include <stdbool.h>

/* The facts that the launcher has found. */
struct facts {
    /* The folder of the archive, an absolute path without a slash at the end: empty for the root directory. */
    const char *home;
    /* The lines of app/classpath and of app/jvm-options. */
    const char *jars;
    const char *options;
    bool has_cache;
    bool out_is_terminal;
    bool err_is_terminal;
    /* The width of the terminal; 0 if it is not known. */
    unsigned columns;
};

/* Returns true if the path of the folder can be an entry of a class path and of a library path. */
bool command_is_usable(const char *home);

/* Returns the path of the program to be executed: the dynamic loader of the archive. */
char *command_program(const char *home);

/* Returns the arguments, including the name of the program. */
char **command_arguments(const struct facts *facts, char **given);

/*
 * Returns the environment of the JVM. The variables that are meant for the user's programs are in it under other names,
 * by which "mayfly run" restores them for its program.
 */
char **command_environment(char **given);

#endif
