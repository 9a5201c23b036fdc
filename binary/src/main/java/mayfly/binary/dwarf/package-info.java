/** DWARF call-frame information: how to find the caller of a frame. */
@org.jspecify.annotations.NullMarked
package mayfly.binary.dwarf;
