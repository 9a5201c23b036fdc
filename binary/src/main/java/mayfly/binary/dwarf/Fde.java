package mayfly.binary.dwarf;

/**
 * A frame description entry: the call-frame instructions of one range of code.
 *
 * @param cie the part shared with other entries
 * @param start first address
 * @param end first address after it
 * @param programStart position of its instructions in the section
 * @param programEnd position after them
 */
public record Fde(Cie cie, long start, long end, long programStart, long programEnd) {
    public boolean covers(long vaddr) {
        return vaddr >= start && vaddr < end;
    }
}
