/** Opens a process and its runtimes, numbers the runtimes, and reports why a process or runtime cannot be read. */
module mayfly.discovery {
    requires static org.jspecify;
    requires mayfly.arch;
    requires mayfly.binary;
    requires mayfly.hotspot;
    requires mayfly.linux;
    requires mayfly.process;
    requires mayfly.profile;
    requires mayfly.runtime;
    requires mayfly.unwind;
    requires mayfly.wire;

    exports mayfly.discovery;
}
