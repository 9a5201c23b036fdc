/** Recording sessions: check permissions, open, sample, walk, capture, close. */
module mayfly.record {
    requires static org.jspecify;
    requires mayfly.arch;
    requires mayfly.discovery;
    requires mayfly.linux;
    requires mayfly.process;
    requires mayfly.profile;
    requires mayfly.runtime;
    requires mayfly.unwind;

    exports mayfly.record;
    exports mayfly.record.event;
}
