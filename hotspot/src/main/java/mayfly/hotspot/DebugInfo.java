package mayfly.hotspot;

import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.profile.Frame;
import org.jspecify.annotations.Nullable;

/**
 * The debug information of one nmethod: its PcDescs, scopes and metadata table, copied out of the target at once.
 *
 * <p>A PcDesc says which scope holds at a pc; a scope says which method and bytecode that is, and which scope it was
 * inlined into. See pcDesc.hpp, scopeDesc.cpp and debugInfo.hpp.
 */
final class DebugInfo {
    /** More than C2 ever inlines; a longer chain is a loop in torn data. */
    private static final int MAX_INLINE_DEPTH = 512;
    private static final int INVOCATION_ENTRY_BCI = -1;

    /**
     * Receives the scopes at a pc, innermost first.
     */
    interface Scopes {
        void scope(long method, int bci) throws BadMetadata, MemoryFault;
    }

    private final byte[] pcs;
    private final byte[] scopes;
    private final byte[] metadata;
    private final int pcDescSize;
    private final int pcOffset;
    private final int scopeOffset;
    private final int excludedBytes;
    /** The epoch in which it was last used. */
    long usedEpoch;
    /** What stands at each PcDesc, once it was asked for: many program counters share one. */
    private final Frame[] @Nullable [] frames;

    private DebugInfo(byte[] pcs, byte[] scopes, byte[] metadata, VmLayout layout, JdkRules rules) {
        this.pcs = pcs;
        this.scopes = scopes;
        this.metadata = metadata;
        pcDescSize = layout.pcDescSize;
        pcOffset = layout.offset(VmField.PC_DESC_PC_OFFSET);
        scopeOffset = layout.offset(VmField.PC_DESC_SCOPE_DECODE_OFFSET);
        excludedBytes = rules.unsigned5ExcludedBytes();
        frames = new Frame[pcs.length / pcDescSize][];
    }

    static DebugInfo read(Nmethod.Tables tables, Memory memory, VmLayout layout, JdkRules rules) throws MemoryFault {
        return new DebugInfo(bytes(memory, tables.pcs(), tables.pcsLength()),
                bytes(memory, tables.scopes(), tables.scopesLength()),
                bytes(memory, tables.metadata(), tables.metadataLength()), layout, rules);
    }

    private static byte[] bytes(Memory memory, long address, int length) throws MemoryFault {
        byte[] bytes = new byte[length];
        memory.read(address, bytes, 0, length);
        return bytes;
    }

    /** The largest recorded offset that is not after the given one; 0 if there is none. The frame is whole there. */
    int pcDescNotAfter(int offset) {
        int i = firstAtOrAfter(offset);
        if (i >= 0 && intAt(pcs, i * pcDescSize + pcOffset) == offset) {
            return offset;
        }
        int before = i < 0 ? pcs.length / pcDescSize - 1 : i - 1;
        return before < 0 ? 0 : Math.max(0, intAt(pcs, before * pcDescSize + pcOffset));
    }

    /** Whether the VM recorded a scope for a call that returns exactly here. */
    boolean hasPcDescAt(int offset) {
        int i = firstAtOrAfter(offset);
        return i >= 0 && intAt(pcs, i * pcDescSize + pcOffset) == offset;
    }

    /**
     * The PcDesc that tells the scopes at a pc, -1 if there is none.
     *
     * @param offset bytes from the code's begin
     * @param exact true for a sampled pc, whose scope is that of the next one recorded; false for a return address
     */
    int pcDesc(int offset, boolean exact) {
        return firstAtOrAfter(exact ? offset + 1 : offset);
    }

    /** The frames that were kept for a PcDesc, null if none were. */
    Frame @Nullable [] frames(int pcDesc) {
        return frames[pcDesc];
    }

    /**
     * Keeps the frames that stand at a PcDesc: as long as the nmethod is in place, its methods are what they were when
     * these were made.
     */
    void keep(int pcDesc, Frame[] made) {
        frames[pcDesc] = made;
    }

    /** Reports the scopes at a pc, as {@link #pcDesc} and {@link #scopes} do. False if none is recorded there. */
    boolean scopesAt(int offset, boolean exact, Scopes into) throws BadMetadata, MemoryFault {
        int pcDesc = pcDesc(offset, exact);
        return pcDesc >= 0 && scopes(pcDesc, into);
    }

    /** Reports the scopes that a PcDesc tells; false if it tells none. */
    boolean scopes(int pcDesc, Scopes into) throws BadMetadata, MemoryFault {
        int at = intAt(pcs, pcDesc * pcDescSize + scopeOffset);
        if (at == 0 || intAt(pcs, pcDesc * pcDescSize + pcOffset) == Integer.MAX_VALUE) {
            return false;
        }
        for (int depth = 0; at != 0; depth++) {
            if (depth == MAX_INLINE_DEPTH) {
                throw new BadMetadata("more than " + MAX_INLINE_DEPTH + " scopes at one pc");
            }
            CompressedBytes in = new CompressedBytes(scopes, at, excludedBytes);
            int sender = in.readUnsigned();
            int method = in.readUnsigned();
            int bci = in.readUnsigned() + INVOCATION_ENTRY_BCI;
            if (method < 1 || method > metadata.length / 8 || sender == at || sender < 0) {
                throw new BadMetadata("a scope with method " + method + " of " + metadata.length / 8);
            }
            into.scope(longAt(metadata, (method - 1) * 8), bci);
            at = sender;
        }
        return true;
    }

    /** The index of the first PcDesc at or after an offset, -1 if there is none. The array is sorted. */
    private int firstAtOrAfter(int offset) {
        int low = 0;
        int high = pcs.length / pcDescSize;
        int count = high;
        while (low < high) {
            int mid = low + high >>> 1;
            if (intAt(pcs, mid * pcDescSize + pcOffset) >= offset) {
                high = mid;
            } else {
                low = mid + 1;
            }
        }
        return low < count ? low : -1;
    }

    int retainedBytes() {
        return pcs.length + scopes.length + metadata.length + 4 * frames.length;
    }

    private static int intAt(byte[] b, int at) {
        return (b[at] & 0xff) | (b[at + 1] & 0xff) << 8 | (b[at + 2] & 0xff) << 16 | b[at + 3] << 24;
    }

    private static long longAt(byte[] b, int at) {
        return (intAt(b, at) & 0xffff_ffffL) | (long) intAt(b, at + 4) << 32;
    }
}
