/** Sessions: find the target, check what is permitted, open, sample, walk, capture, close. */
module mayfly.sampler {
    requires static org.jspecify;
    requires transitive mayfly.linux;
    requires transitive mayfly.unwind;
    requires transitive mayfly.hotspot;
    requires transitive mayfly.runtime;
    requires transitive mayfly.binary;
    requires transitive mayfly.process;
    requires transitive mayfly.profile;

    exports mayfly.sampler;
}
