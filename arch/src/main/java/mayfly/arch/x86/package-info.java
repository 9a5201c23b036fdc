/** x86-64: its registers, and a decoder of those properties of its instructions that a stack walk needs. */
@org.jspecify.annotations.NullMarked
package mayfly.arch.x86;
