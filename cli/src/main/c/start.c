/* The entry point: the kernel puts the number of arguments, the arguments and the environment on the stack. */
#include "system.h"

__asm__(".text\n"
        ".global _start\n"
        "_start:\n"
        "    xor %ebp, %ebp\n"
        "    mov %rsp, %rdi\n"
        "    and $-16, %rsp\n"
        "    call start\n");

_Noreturn void start(long *stack);

_Noreturn void start(long *stack) {
    char **arguments = (char **)(stack + 1);
    system_exit(run(arguments, arguments + stack[0] + 1));
}
