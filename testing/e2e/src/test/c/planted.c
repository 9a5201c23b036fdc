/* A library that records that it was loaded: its constructor creates the file named by PLANTED_MARK. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void loaded(void) {
    const char *mark = getenv("PLANTED_MARK");
    if (mark != NULL) {
        close(open(mark, O_CREAT | O_WRONLY, 0600));
    }
}
