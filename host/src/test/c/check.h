/* Checks for C tests: a condition that must hold, and the report of its failure. */
#ifndef MAYFLY_CHECK_H
#define MAYFLY_CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* Ends the program with a line that contains the condition. A fuzzer also detects abort(). */
#define CHECK(condition)                                                                             \
    do {                                                                                             \
        if (!(condition)) {                                                                          \
            fprintf(stderr, "%s:%d: %s: check failed: %s\n", __FILE__, __LINE__, __func__, #condition);    \
            abort();                                                                                 \
        }                                                                                            \
    } while (0)

/* Runs one test, a function without arguments, and prints its name if it passes. */
#define RUN(test)                                                                                    \
    do {                                                                                             \
        test();                                                                                      \
        printf("%s\n", #test);                                                                       \
        fflush(stdout);                                                                              \
    } while (0)

#endif
