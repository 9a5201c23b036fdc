package mayfly.arch.x86;

/** The end of a routine in generated code: a return, and the padding before the next routine. */
final class RoutineEnd {
    private static final int RET = 0xc3;

    private RoutineEnd() {}

    /** Returns true if the bytes before a position are a return and padding, which may be absent at the code's end. */
    static boolean at(byte[] code, int end) {
        int at = end;
        while (at > 0 && isPadding(code[at - 1] & 0xff)) {
            at--;
        }
        return at > 0 && (code[at - 1] & 0xff) == RET && (at < end || end == code.length);
    }

    /** Returns true if a byte occurs in multi-byte nops, Intel SDM volume 2, NOP, or is HLT. */
    private static boolean isPadding(int value) {
        return switch (value) {
            case 0x90, 0x66, 0x0f, 0x1f, 0x00, 0x40, 0x44, 0x80, 0x84, 0xf4 -> true;
            default -> false;
        };
    }
}
