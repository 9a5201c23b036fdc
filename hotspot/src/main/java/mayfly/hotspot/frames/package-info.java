/** A stepper for each kind of frame in generated code, chosen by program counter. */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.frames;
