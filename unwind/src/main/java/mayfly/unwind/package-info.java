/** The walker: registers to frames, every stack ending in a verdict; and the stepper for native code. */
@org.jspecify.annotations.NullMarked
package mayfly.unwind;
