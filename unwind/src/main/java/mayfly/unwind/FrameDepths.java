package mayfly.unwind;

import java.util.HashMap;
import java.util.Map;
import mayfly.arch.Architecture;
import mayfly.arch.StackDepthAtPc;
import mayfly.binary.BadFormat;
import mayfly.binary.dwarf.CallFrameInfo;
import mayfly.binary.dwarf.CfaRule;
import mayfly.binary.dwarf.UnwindRow;
import mayfly.process.MemoryFault;

/**
 * Computes the distance from the stack pointer to the canonical frame address, for functions whose call-frame
 * information refers to a frame pointer with an unknown value.
 *
 * <p>If a thread is copied without a stop, only its stack pointer and program counter are known. The instructions of
 * the function, decoded from its entry, determine the distance by which it has lowered the stack pointer.
 */
final class FrameDepths {
    /** The result if the distance cannot be determined. */
    static final long UNKNOWN = -1;

    private static final int MAX_KNOWN = 1 << 14;

    private final NativeCode code;
    private final Architecture architecture;
    private final Map<Long, Long> known = new HashMap<>();

    FrameDepths(NativeCode code) {
        this.code = code;
        this.architecture = code.architecture();
    }

    void clear() {
        known.clear();
    }

    /**
     * Returns the distance of the canonical frame address above the stack pointer, in bytes, or {@link #UNKNOWN}.
     *
     * @param pc the program counter of the frame
     * @param site the site of {@code pc}, whose frame address is a register plus a constant
     * @param isExact false if {@code pc} is a return address
     */
    long cfaAboveSp(long pc, NativeSite site, boolean isExact) {
        long key = isExact ? pc : ~pc;
        Long before = known.get(key);
        if (before != null) {
            return before;
        }
        long found = find(pc, site, isExact);
        if (known.size() >= MAX_KNOWN) {
            known.clear();
        }
        known.put(key, found);
        return found;
    }

    private long find(long pc, NativeSite site, boolean isExact) {
        NativeModule module = code.moduleAt(pc);
        CallFrameInfo frames = module == null ? null : module.frames();
        if (module == null || frames == null) {
            return UNKNOWN;
        }
        try {
            long[] function = frames.functionAt(module.vaddr(isExact ? pc : pc - 1));
            UnwindRow entry = function == null ? null : frames.rowAt(function[0]);
            // A part that was split off from its function is entered with a complete frame. Its entry has no known
            // depth.
            if (function == null
                    || entry == null
                    || !(entry.cfa() instanceof CfaRule.RegisterOffset atEntry)
                    || atEntry.register() != architecture.stackPointer()) {
                return UNKNOWN;
            }
            long bias = module.bias();
            StackDepthAtPc depth = architecture
                    .instructions()
                    .depthFromEntry(
                            pc,
                            function[0] + bias,
                            function[1] + bias,
                            (address, to, offset, length) -> read(module, address, to, offset, length));
            return depth == null || !agrees(depth, atEntry.offset(), site) ? UNKNOWN : atEntry.offset() + depth.bytes();
        } catch (BadFormat e) {
            return UNKNOWN;
        }
    }

    /**
     * Returns true if the row and the instructions agree: both place the canonical frame address at the same distance
     * from the same register.
     */
    private static boolean agrees(StackDepthAtPc depth, long cfaAtEntry, NativeSite site) {
        return depth.savedIn() == site.cfaRegister && depth.savedBytes() + cfaAtEntry == site.cfaOffset;
    }

    private void read(NativeModule module, long address, byte[] to, int offset, int length) throws MemoryFault {
        byte[] bytes = new byte[length];
        if (!code.read(module, address, bytes)) {
            throw new MemoryFault(address, length);
        }
        System.arraycopy(bytes, 0, to, offset, length);
    }
}
