/* A process with musl that has mapped the library of a JVM: musl_jvm LIBJVM. It is linked with musl's loader, which is
   the C library, and without the start-up code of glibc. Prints READY and waits until it is killed. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

__asm__(".text\n"
        ".global _start\n"
        "_start:\n"
        "    xor %ebp, %ebp\n"
        "    mov %rsp, %rdi\n"
        "    and $-16, %rsp\n"
        "    call begin\n");

void begin(long *stack) {
    char **arguments = (char **)(stack + 1);
    int file = open(arguments[1], O_RDONLY);
    off_t length = lseek(file, 0, SEEK_END);
    if (mmap(NULL, (size_t)length, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED) {
        _exit(1);
    }
    if (write(1, "READY\n", 6) != 6) {
        _exit(2);
    }
    for (;;) {
        pause();
    }
}
