/* What a descriptor refers to, so that a number which has come to mean another file is noticed. */
#define _GNU_SOURCE
#include "host.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* False if the number is not open. By syscall(2): fstat is a symbol of glibc 2.33, before it was a macro. */
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
