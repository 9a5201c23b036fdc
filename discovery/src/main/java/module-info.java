/** A process and its runtimes: opens them, numbers them, and reports why one cannot be read. */
module mayfly.discovery {
    requires static org.jspecify;
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
