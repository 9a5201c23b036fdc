/*
 * fakerecord FOLDER: holds, by O_PATH, a FIFO whose path is the name of a host record. The path is in a private root
 * directory, which any user can create in a user namespace. Prints "READY" and waits until its standard input ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RECORD "/memfd:mayfly-host-00007f0012345000 (deleted)"

static int put(const char *path, const char *text) {
    int fd = open(path, O_WRONLY);
    return fd >= 0 && write(fd, text, strlen(text)) > 0 && close(fd) == 0;
}

int main(int argc, char **argv) {
    char users[64];
    char groups[64];
    snprintf(users, sizeof users, "0 %d 1", (int)getuid());
    snprintf(groups, sizeof groups, "0 %d 1", (int)getgid());
    if (argc != 2 || unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !put("/proc/self/setgroups", "deny")
            || !put("/proc/self/uid_map", users) || !put("/proc/self/gid_map", groups)
            || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || mount("t", argv[1], "tmpfs", 0, NULL) != 0
            || chdir(argv[1]) != 0 || mkdir("old", 0755) != 0 || syscall(SYS_pivot_root, ".", "old") != 0
            || chdir("/") != 0 || mkfifo(RECORD, 0666) != 0
            || open(RECORD, O_PATH) < 0) {
        perror("fakerecord");
        return 1;
    }
    puts("READY");
    fflush(stdout);
    while (getchar() != EOF) {
        continue;
    }
    return 0;
}
