/* The identity of the file behind a descriptor, to detect that a descriptor number has been reused for another file. */
#define _GNU_SOURCE
#include "files.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Returns false if the descriptor is not open. Uses syscall(2): libc.so exports fstat only since glibc 2.33; before,
 * it was linked statically.
 */
bool file_of(int fd, struct file *file) {
    struct stat found;
    if (fd < 0 || syscall(SYS_fstat, fd, &found) != 0) {
        return false;
    }
    *file = (struct file){found.st_dev, found.st_ino};
    return true;
}

bool file_is(int fd, struct file file) {
    struct file now;
    return file_of(fd, &now) && now.device == file.device && now.inode == file.inode;
}

/*
 * Closes a descriptor of the host and forgets its number. It is closed only if it still refers to its file: a program
 * may close descriptors that it did not open, and the number may then refer to another file. All eventfds and epoll
 * instances are the same file to fstat(2).
 */
void file_close(int *fd, struct file file) {
    if (file_is(*fd, file)) {
        close(*fd);
    }
    *fd = -1;
}
