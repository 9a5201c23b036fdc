/* For LD_PRELOAD: kills the process as soon as it removes one of Mayfly's files, before the file is removed. */
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
