package mayfly.arch.x86;

import mayfly.arch.CodeSource;

/** Recognizes an x86-64 call by the bytes before its return address. See Intel SDM volume 2, CALL and table 2-2. */
public final class CallInstruction {
    /** Length in bytes of the longest recognized form: FF /2 with a SIB byte and a 32-bit displacement. */
    public static final int MAX_LENGTH = 7;

    private static final int CALL_REL32 = 0xe8;
    private static final int GROUP_5 = 0xff;
    private static final int RELATIVE_LENGTH = 5;
    /** {@code call r10}: 41 FF D2. */
    private static final int INDIRECT_LENGTH = 3;
    /** {@code mov r10, imm64}: 49 BA and the number. */
    private static final int MOVE_R10_LENGTH = 10;

    private CallInstruction() {}

    /**
     * Returns true if a call can end at an address.
     *
     * @throws E if the bytes before it cannot be read
     */
    public static <E extends Exception> boolean endsAt(long address, CodeSource<E> source) throws E {
        byte[] before = new byte[MAX_LENGTH];
        source.read(address - MAX_LENGTH, before, 0, MAX_LENGTH);
        return endsAt(before, MAX_LENGTH);
    }

    /** Returns true if a call can end at a position in code. */
    public static boolean endsAt(byte[] code, int end) {
        if (end >= 5 && (code[end - 5] & 0xff) == CALL_REL32) {
            return true;
        }
        for (int length = 2; length <= MAX_LENGTH && length <= end; length++) {
            if ((code[end - length] & 0xff) == GROUP_5 && indirectLength(code, end - length + 1, end) == length) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the target of a call that ends at the address, or 0 if its instructions do not determine it. The
     * recognized forms are {@code call rel32}, and {@code mov r10, imm64; call r10}, which C2 uses for targets that may
     * be out of reach of a relative call.
     *
     * @throws E if its bytes cannot be read
     */
    public static <E extends Exception> long target(long address, CodeSource<E> source) throws E {
        byte[] call = new byte[RELATIVE_LENGTH];
        source.read(address - RELATIVE_LENGTH, call, 0, RELATIVE_LENGTH);
        if ((call[0] & 0xff) == CALL_REL32) {
            return address + (int) number(call, 1, Integer.BYTES);
        }
        boolean throughR10 = call[2] == 0x41 && (call[3] & 0xff) == 0xff && (call[4] & 0xff) == 0xd2;
        if (!throughR10) {
            return 0;
        }
        byte[] move = new byte[MOVE_R10_LENGTH];
        source.read(address - INDIRECT_LENGTH - MOVE_R10_LENGTH, move, 0, MOVE_R10_LENGTH);
        return move[0] == 0x49 && (move[1] & 0xff) == 0xba ? number(move, 2, Long.BYTES) : 0;
    }

    /** Returns a little-endian number. */
    private static long number(byte[] code, int at, int length) {
        long value = 0;
        for (int i = length - 1; i >= 0; i--) {
            value = value << 8 | code[at + i] & 0xff;
        }
        return value;
    }

    /** Returns the length of {@code FF /2} from its ModRM byte, or 0 if it is not a call. */
    private static int indirectLength(byte[] code, int modRmAt, int end) {
        int modRm = code[modRmAt] & 0xff;
        if ((modRm >> 3 & 7) != 2) {
            return 0;
        }
        int mod = modRm >> 6;
        int rm = modRm & 7;
        int sib = rm == 4 && mod != 3 ? 1 : 0;
        int displacement = switch (mod) {
            case 0 -> rm == 5 || sib == 1 && modRmAt + 1 < end && (code[modRmAt + 1] & 7) == 5 ? 4 : 0;
            case 1 -> 1;
            case 2 -> 4;
            default -> 0;
        };
        return 2 + sib + displacement;
    }
}
