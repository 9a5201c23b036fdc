/** The walker: registers to frames, every stack ending in a verdict; and the stepper for native code. */
module mayfly.unwind {
    requires static org.jspecify;
    requires mayfly.arch;
    requires mayfly.runtime;
    requires mayfly.binary;
    requires mayfly.process;
    requires mayfly.profile;

    exports mayfly.unwind;
}
