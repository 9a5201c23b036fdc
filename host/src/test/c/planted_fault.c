/* Reads one byte beyond its allocation or overflows an int, to detect a build without the sanitizers. */
#include <limits.h>
#include <stdlib.h>

int main(void) {
    char *volatile bytes = calloc(1, 3);    /* volatile: hides its size from the compiler */
    volatile int most = INT_MAX;
    const char *which = getenv("MAYFLY_PLANTED");
    int value = which != NULL && which[0] == 'u' ? most + 1 : bytes[3];
    free(bytes);
    return value == 1 ? 2 : 0;
}
