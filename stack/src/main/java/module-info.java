/** Stacks of one thread or of all threads, on demand. */
module mayfly.stack {
    requires static org.jspecify;
    requires mayfly.arch;
    requires mayfly.discovery;
    requires mayfly.linux;
    requires mayfly.process;
    requires mayfly.profile;
    requires mayfly.runtime;
    requires mayfly.unwind;

    exports mayfly.stack;
    exports mayfly.stack.state;
}
