package mayfly.runtime;

import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/** Recognises an x86-64 call by the bytes before its return address: Intel SDM volume 2, CALL and table 2-2. */
public final class CallInstruction {
    /** Length in bytes of the longest recognised form: FF /2 with a SIB byte and a 32-bit displacement. */
    public static final int LONGEST = 7;
    private static final int CALL_REL32 = 0xe8;
    private static final int GROUP_5 = 0xff;

    private CallInstruction() {
    }

    /**
     * Returns true if a call can end at an address.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public static boolean endsAt(long address, Memory memory) throws MemoryFault {
        byte[] before = new byte[LONGEST];
        memory.read(address - LONGEST, before, 0, LONGEST);
        return endsAt(before, LONGEST);
    }

    /** Returns true if a call can end at a position of some code. */
    public static boolean endsAt(byte[] code, int end) {
        if (end >= 5 && (code[end - 5] & 0xff) == CALL_REL32) {
            return true;
        }
        for (int length = 2; length <= LONGEST && length <= end; length++) {
            if ((code[end - length] & 0xff) == GROUP_5 && indirectLength(code, end - length + 1, end) == length) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the target of a call that ends at the address, or 0 if the instructions do not contain it:
     * {@code call rel32}, or as C2 calls a target that may be out of reach, {@code mov r10, imm64; call r10}.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public static long target(long address, Memory memory) throws MemoryFault {
        if (memory.readByte(address - 5) == CALL_REL32) {
            return address + memory.readInt(address - 4);
        }
        boolean throughR10 = memory.readShort(address - 3) == 0xff41 && memory.readByte(address - 1) == 0xd2
                && memory.readShort(address - 13) == 0xba49;
        return throughR10 ? memory.readLong(address - 11) : 0;
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
