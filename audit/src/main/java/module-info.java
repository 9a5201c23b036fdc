/** The items that a profiler could leave in a process, read from outside, and the differences between two audits. */
module mayfly.audit {
    requires static org.jspecify;
    requires mayfly.discovery;
    requires mayfly.hotspot;
    requires mayfly.linux;
    requires mayfly.process;
    requires mayfly.profile;
    requires mayfly.runtime;
    requires mayfly.unwind;
    requires mayfly.wire;

    exports mayfly.audit;
}
