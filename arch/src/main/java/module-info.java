/** CPUs as data and code: registers, calling conventions, and the effects of instructions on the stack. */
module mayfly.arch {
    requires static org.jspecify;

    exports mayfly.arch;
    exports mayfly.arch.x86;
}
