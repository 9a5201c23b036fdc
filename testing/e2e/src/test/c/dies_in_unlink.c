/* For LD_PRELOAD: the process is killed as soon as it removes a file of Mayfly's, before the file is gone. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int unlink(const char *path) {
    if (strstr(path, "/.mayfly-") != NULL) {
        kill(getpid(), SIGKILL);
    }
    return (int)syscall(SYS_unlink, path);
}
