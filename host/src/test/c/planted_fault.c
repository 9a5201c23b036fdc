/* Reads one byte beyond what it has, or adds beyond what an int holds: so that a build without the sanitizers is found. */
#include <limits.h>
#include <stdlib.h>

int main(void) {
    char *volatile bytes = calloc(1, 3);    /* volatile: the compiler may not know its size */
    volatile int most = INT_MAX;
    const char *which = getenv("MAYFLY_PLANTED");
    int value = which != NULL && which[0] == 'u' ? most + 1 : bytes[3];
    free(bytes);
    return value == 1 ? 2 : 0;
}
