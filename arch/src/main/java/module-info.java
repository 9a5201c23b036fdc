/** CPUs as data and code: registers, calling conventions, and what their instructions do to the stack. */
module mayfly.arch {
    requires static org.jspecify;

    exports mayfly.arch;
    exports mayfly.arch.x86;
}
