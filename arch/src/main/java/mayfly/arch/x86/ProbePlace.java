package mayfly.arch.x86;

/**
 * The instructions at a function's entry that Linux emulates when a uprobe is on them: see push_setup_xol_ops() and
 * branch_setup_xol_ops() in arch/x86/kernel/uprobes.c. Other instructions are executed from a page that the kernel maps
 * into the process, and that stays mapped. A nop of five bytes is replaced by a call into such a page.
 */
final class ProbePlace {
    private static final byte[] ENDBR64 = {(byte) 0xf3, 0x0f, 0x1e, (byte) 0xfa};
    private static final int NOP = 0x90;
    private static final int REX_B = 0x41;
    private static final int PUSH = 0x50;
    private static final int REGISTER = 0x07;

    private ProbePlace() {}

    /** Returns the offset of the first instruction that does something: after the mark of a target of jumps, if any. */
    static int afterMark(byte[] entry) {
        for (int i = 0; i < ENDBR64.length; i++) {
            if (i >= entry.length || entry[i] != ENDBR64[i]) {
                return 0;
            }
        }
        return ENDBR64.length;
    }

    /** Returns true for {@code push} of a general register, and for a nop of one byte. */
    static boolean isEmulated(byte[] code, int at) {
        int opcode = at < code.length ? code[at] & 0xff : 0;
        if (opcode == REX_B && at + 1 < code.length) {
            return isPush(code[at + 1] & 0xff);
        }
        return opcode == NOP || isPush(opcode);
    }

    private static boolean isPush(int opcode) {
        return (opcode & ~REGISTER) == PUSH;
    }
}
