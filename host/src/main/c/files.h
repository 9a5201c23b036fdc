/* The identity of a file while it is open. */
#ifndef MAYFLY_FILES_H
#define MAYFLY_FILES_H

#include <stdbool.h>
#include <sys/types.h>

struct file {
    dev_t device;
    ino_t inode;
};

bool file_of(int fd, struct file *file);
bool file_is(int fd, struct file file);
void file_close(int *fd, struct file file);

#endif
