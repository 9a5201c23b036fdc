/** The only module with native access: one small class per kernel interface, and the live process built from them. */
module mayfly.linux {
    requires static org.jspecify;
    requires mayfly.arch;
    requires mayfly.process;

    exports mayfly.linux;
    exports mayfly.linux.abi;
    exports mayfly.linux.perf;
    exports mayfly.linux.proc;
    exports mayfly.linux.sys;
    exports mayfly.linux.trace;
}
