/**
 * The walker, which converts registers to frames and ends every stack with an outcome, and the stepper for native code.
 */
@org.jspecify.annotations.NullMarked
package mayfly.unwind;
