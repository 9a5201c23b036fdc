package mayfly.binary.dwarf;

import mayfly.binary.BadFormat;
import mayfly.binary.Cursor;

/** Encoded pointers of .eh_frame and .eh_frame_hdr: Linux Standard Base Core 5, section 10.5.1 (DW_EH_PE_*). */
final class PointerEncoding {
    static final int OMIT = 0xff;
    static final int DATAREL_SDATA4 = 0x3b;
    // The format of the number, in the lower four bits.
    private static final int ABSPTR = 0x00;
    private static final int ULEB128 = 0x01;
    private static final int UDATA2 = 0x02;
    private static final int UDATA4 = 0x03;
    private static final int UDATA8 = 0x04;
    private static final int SLEB128 = 0x09;
    private static final int SDATA2 = 0x0a;
    private static final int SDATA4 = 0x0b;
    private static final int SDATA8 = 0x0c;
    // The base of the number, in the next three bits.
    private static final int PCREL = 0x10;
    private static final int DATAREL = 0x30;
    /** The number is the address of the pointer. */
    private static final int INDIRECT = 0x80;

    private PointerEncoding() {}

    /**
     * Reads a pointer.
     *
     * @param vaddr address of the cursor's position 0
     * @param data base address of data-relative pointers
     */
    static long read(Cursor in, int encoding, long vaddr, long data) throws BadFormat {
        if ((encoding & INDIRECT) != 0) {
            throw in.bad("indirect pointer where an address must be");
        }
        long at = vaddr + in.position();
        long value = value(in, encoding);
        return switch (encoding & 0x70) {
            case ABSPTR -> value;
            case PCREL -> at + value;
            case DATAREL -> data + value;
            default -> throw in.bad("pointer encoding 0x" + Integer.toHexString(encoding));
        };
    }

    /** Reads the number of an encoded pointer without a base. */
    static long value(Cursor in, int encoding) throws BadFormat {
        return switch (encoding & 0x0f) {
            case ABSPTR, UDATA8, SDATA8 -> in.u64();
            case ULEB128 -> in.uleb();
            case UDATA2 -> in.u16();
            case UDATA4 -> in.u32();
            case SLEB128 -> in.sleb();
            case SDATA2 -> (short) in.u16();
            case SDATA4 -> in.s32();
            default -> throw in.bad("pointer encoding 0x" + Integer.toHexString(encoding));
        };
    }
}
