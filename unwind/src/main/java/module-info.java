/**
 * The walker, which converts the registers and the stack of a thread to frames and an outcome, and the stepper for
 * native code.
 */
module mayfly.unwind {
    requires static org.jspecify;
    requires mayfly.arch;
    requires mayfly.runtime;
    requires mayfly.binary;
    requires mayfly.process;
    requires mayfly.profile;

    exports mayfly.unwind;
}
