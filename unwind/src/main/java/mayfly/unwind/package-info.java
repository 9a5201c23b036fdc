/**
 * The walker, which converts the registers and the stack of a thread to frames and an outcome, and the stepper for
 * native code.
 */
@org.jspecify.annotations.NullMarked
package mayfly.unwind;
