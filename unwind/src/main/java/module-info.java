/** The walker: registers to frames, every stack ending in a verdict; and the stepper for native code. */
module mayfly.unwind {
    requires static org.jspecify;
    requires transitive mayfly.runtime;
    requires transitive mayfly.binary;
    requires transitive mayfly.process;
    requires transitive mayfly.profile;

    exports mayfly.unwind;
}
