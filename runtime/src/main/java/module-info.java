/** The interface of a managed runtime. */
module mayfly.runtime {
    requires static org.jspecify;
    requires mayfly.arch;
    requires mayfly.process;
    requires mayfly.profile;

    exports mayfly.runtime;
    exports mayfly.runtime.collection;
    exports mayfly.runtime.suspension;
    exports mayfly.runtime.thread;
}
