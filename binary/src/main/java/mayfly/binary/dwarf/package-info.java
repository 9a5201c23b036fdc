/** DWARF call-frame information: the rules to find the caller of a frame. */
@org.jspecify.annotations.NullMarked
package mayfly.binary.dwarf;
