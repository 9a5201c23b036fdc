/*
 * manymaps FOLDER COUNT: maps a file called libjvm.so COUNT times, with a path of almost 4096 bytes below the folder.
 * Prints "READY COUNT" and waits until its standard input ends.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char name[251];
    memset(name, 'a', 250);
    name[250] = 0;
    if (argc != 3 || chdir(argv[1]) != 0) {
        return 1;
    }
    for (int i = 0; i < 15; i++) {
        if (mkdir(name, 0755) != 0 || chdir(name) != 0) {
            return 1;
        }
    }
    int fd = open("libjvm.so", O_RDWR | O_CREAT, 0755);
    if (fd < 0 || ftruncate(fd, 4096) != 0) {
        return 1;
    }
    int mapped = 0;
    for (int i = 0; i < atoi(argv[2]); i++) {
        /* The kernel would merge adjacent mappings with equal permissions. */
        mapped += mmap(NULL, 4096, i % 2 == 0 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0) != MAP_FAILED;
    }
    printf("READY %d\n", mapped);
    fflush(stdout);
    while (getchar() != EOF) {
        continue;
    }
    return 0;
}
