/** The stacks of one thread or of all threads, now. */
module mayfly.stack {
    requires static org.jspecify;
    requires mayfly.arch;
    requires mayfly.discovery;
    requires mayfly.hotspot;
    requires mayfly.linux;
    requires mayfly.process;
    requires mayfly.profile;
    requires mayfly.runtime;
    requires mayfly.unwind;

    exports mayfly.stack;
}
