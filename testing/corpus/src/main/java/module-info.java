/** Walks of difficult stacks, recorded once and replayed by tests. */
module mayfly.corpus {
    requires static org.jspecify;
    requires mayfly.arch;
    requires mayfly.kit;
    requires mayfly.linux;
    requires mayfly.hotspot;
    requires mayfly.binary;
    requires mayfly.process;
    requires mayfly.profile;
    requires mayfly.runtime;
    requires mayfly.unwind;
}
