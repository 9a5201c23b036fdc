/** x86-64: its registers, and a decoder of its instructions as far as a stack walk needs them. */
@org.jspecify.annotations.NullMarked
package mayfly.arch.x86;
