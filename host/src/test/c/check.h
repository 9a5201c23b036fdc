/* What a test of C says: a condition that must hold, and where it did not. */
#ifndef MAYFLY_CHECK_H
#define MAYFLY_CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* Ends the program with a line that names the condition. abort() is a finding for a fuzzer too. */
#define CHECK(condition)                                                                             \
    do {                                                                                             \
        if (!(condition)) {                                                                          \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, __func__, #condition);    \
            abort();                                                                                 \
        }                                                                                            \
    } while (0)

/* Runs one test, a function without arguments, and names it if it fails. */
#define RUN(test)                                                                                    \
    do {                                                                                             \
        test();                                                                                      \
        printf("%s\n", #test);                                                                       \
        fflush(stdout);                                                                              \
    } while (0)

#endif
