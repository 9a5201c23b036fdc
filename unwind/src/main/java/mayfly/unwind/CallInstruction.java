package mayfly.unwind;

/** Recognises a call by the bytes before the address that it returns to: Intel SDM volume 2, CALL and table 2-2. */
final class CallInstruction {
    /** Bytes of the longest form looked for: FF /2 with a SIB byte and a 32-bit displacement. */
    static final int LONGEST = 7;

    private CallInstruction() {
    }

    /**
     * Whether a call can end here.
     *
     * @param b code
     * @param end position after the presumed call
     */
    static boolean endsAt(byte[] b, int end) {
        if (end >= 5 && b[end - 5] == (byte) 0xe8) {
            return true;
        }
        for (int length = 2; length <= LONGEST && length <= end; length++) {
            if (b[end - length] == (byte) 0xff && length(b, end - length + 1, end) == length) {
                return true;
            }
        }
        return false;
    }

    /** Length of the FF /2 whose ModRM byte is at a position, 0 if it is something else. */
    private static int length(byte[] b, int at, int end) {
        int modrm = b[at] & 0xff;
        if ((modrm >> 3 & 7) != 2) {
            return 0;
        }
        int mod = modrm >> 6;
        int rm = modrm & 7;
        if (mod == 3) {
            return 2;
        }
        int length = 2;
        int base = rm;
        if (rm == 4) {
            if (at + 1 >= end) {
                return 0;
            }
            base = b[at + 1] & 7;
            length++;
        }
        return switch (mod) {
            case 0 -> base == 5 ? length + 4 : length;
            case 1 -> length + 1;
            default -> length + 4;
        };
    }
}
