package mayfly.binary;

/** Encoded pointers of .eh_frame and .eh_frame_hdr: Linux Standard Base Core 5, section 10.5.1 (DW_EH_PE_*). */
final class PointerEncoding {
    static final int OMIT = 0xff;
    static final int DATAREL_SDATA4 = 0x3b;
    private static final int INDIRECT = 0x80;

    private PointerEncoding() {
    }

    /**
     * Reads a pointer.
     *
     * @param vaddr address of the cursor's position 0
     * @param data address that data-relative pointers are relative to
     */
    static long read(Cursor in, int encoding, long vaddr, long data) throws BadFormat {
        if ((encoding & INDIRECT) != 0) {
            throw in.bad("indirect pointer where an address must be");
        }
        long at = vaddr + in.position();
        long value = value(in, encoding);
        return switch (encoding & 0x70) {
            case 0x00 -> value;
            case 0x10 -> at + value;
            case 0x30 -> data + value;
            default -> throw in.bad("pointer encoding 0x" + Integer.toHexString(encoding));
        };
    }

    /** Reads the number of an encoded pointer, which is relative to nothing. */
    static long value(Cursor in, int encoding) throws BadFormat {
        return switch (encoding & 0x0f) {
            case 0x00, 0x04, 0x0c -> in.u64();
            case 0x01 -> in.uleb();
            case 0x02 -> in.u16();
            case 0x03 -> in.u32();
            case 0x09 -> in.sleb();
            case 0x0a -> (short) in.u16();
            case 0x0b -> in.s32();
            default -> throw in.bad("pointer encoding 0x" + Integer.toHexString(encoding));
        };
    }
}
