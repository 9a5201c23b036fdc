package mayfly.hotspot.code;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.CompressedBytes;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.profile.Frame;
import org.jspecify.annotations.Nullable;

/**
 * The debug information of one nmethod: its PcDescs, scopes and metadata table, copied from the target in one pass.
 *
 * <p>A PcDesc maps a pc to a scope. A scope names a method and a bytecode, and the scope into which it was inlined. See
 * pcDesc.hpp, scopeDesc.cpp and debugInfo.hpp.
 */
public final class DebugInfo {
    /**
     * Upper bound on the inlining depth. C2 never inlines this deeply; a longer chain is a cycle in inconsistent data.
     */
    private static final int MAX_INLINE_DEPTH = 512;

    /** Upper bound on the monitors of all scopes at one pc. */
    private static final int MAX_MONITORS = 1 << 12;

    private static final int INVOCATION_ENTRY_BCI = -1;

    /**
     * Receives the scopes at a pc, innermost first.
     */
    public interface Scopes {
        /**
         * Receives one scope.
         *
         * @param method the address of the Method
         * @param bci the bytecode index, or -1 at the method's entry
         * @throws BadMetadata if the data read is inconsistent
         * @throws MemoryFault if the target's memory cannot be read
         */
        void scope(long method, int bci) throws BadMetadata, MemoryFault;
    }

    /** For each PcDesc, its pc_offset and its scope_decode_offset. */
    private final int[] pcDescs;

    private final byte[] scopes;
    private final byte[] metadata;
    private final JdkRules rules;
    private final SafepointOffsets safepoints;
    private final boolean everywhere;
    /** The start of the epoch in which this information was last used, CLOCK_MONOTONIC in ns. */
    public long lastUsed;
    /** The frames of each PcDesc, computed on first use. Many program counters share one PcDesc. */
    private final Frame[] @Nullable [] frames;
    /** The inferred frames of each PcDesc. */
    private Frame[] @Nullable [] inferred = {};

    private DebugInfo(int[] pcDescs, byte[] scopes, byte[] metadata, JdkRules rules, SafepointOffsets safepoints) {
        this.pcDescs = pcDescs;
        this.scopes = scopes;
        this.metadata = metadata;
        this.rules = rules;
        this.safepoints = safepoints;
        frames = new Frame[pcDescs.length / 2][];
        everywhere = hasMoreThanOopMaps();
    }

    /**
     * Copies the debug information of an nmethod from the target.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public static DebugInfo read(Nmethod.Tables tables, Memory memory, VmLayout layout, JdkRules rules)
            throws MemoryFault {
        return new DebugInfo(
                pcDescs(bytes(memory, tables.pcs(), tables.pcsLength()), layout),
                bytes(memory, tables.scopes(), tables.scopesLength()),
                bytes(memory, tables.metadata(), tables.metadataLength()),
                rules,
                SafepointOffsets.read(tables, memory, layout));
    }

    SafepointOffsets safepoints() {
        return safepoints;
    }

    /**
     * Returns true if more is recorded than the VM needs. Debug information is then recorded for all instructions,
     * because of DebugNonSafepoints, or because an agent received compiled method events when this method was compiled.
     * See DebugInformationRecorder::recording_non_safepoints.
     */
    public boolean isEverywhere() {
        return everywhere;
    }

    private boolean hasMoreThanOopMaps() {
        for (int i = 0; i < frames.length && safepoints.known(); i++) {
            if (isScope(i) && !safepoints.hasOopMap(pcOffset(i))) {
                return true;
            }
        }
        return false;
    }

    /** Returns the part that the VM needs: the PcDescs at oop maps. */
    public DebugInfo atSafepoints() {
        int[] kept = new int[pcDescs.length];
        int count = 0;
        for (int i = 0; i < frames.length; i++) {
            if (!isScope(i) || safepoints.hasOopMap(pcOffset(i))) {
                kept[count++] = pcDescs[2 * i];
                kept[count++] = pcDescs[2 * i + 1];
            }
        }
        return new DebugInfo(Arrays.copyOf(kept, count), scopes, metadata, rules, safepoints);
    }

    /** Returns true if a PcDesc describes a location. The first and the last are sentinels of the array. */
    private boolean isScope(int pcDesc) {
        return pcOffset(pcDesc) >= 0 && pcOffset(pcDesc) != Integer.MAX_VALUE && pcDescs[2 * pcDesc + 1] != 0;
    }

    /**
     * Returns the index of the last PcDesc that describes a location at or before an offset, or -1 if there is none.
     */
    public int pcDescAtOrBefore(int offset) {
        int i = firstAtOrAfter(offset + 1);
        i = i < 0 ? frames.length - 1 : i - 1;
        return i >= 0 && isScope(i) ? i : -1;
    }

    /** Returns the two members of each PcDesc that are used here; they take half the bytes of a PcDesc. */
    private static int[] pcDescs(byte[] bytes, VmLayout layout) {
        int[] pcDescs = new int[bytes.length / layout.pcDescSize * 2];
        for (int i = 0; i < pcDescs.length; i += 2) {
            int at = i / 2 * layout.pcDescSize;
            pcDescs[i] = intAt(bytes, at + layout.offset(VmField.PC_DESC_PC_OFFSET));
            pcDescs[i + 1] = intAt(bytes, at + layout.offset(VmField.PC_DESC_SCOPE_DECODE_OFFSET));
        }
        return pcDescs;
    }

    /** Returns the position of a PcDesc, in bytes from the start of the code. */
    int pcOffset(int pcDesc) {
        return pcDescs[2 * pcDesc];
    }

    private static byte[] bytes(Memory memory, long address, int length) throws MemoryFault {
        byte[] bytes = new byte[length];
        memory.read(address, bytes, 0, length);
        return bytes;
    }

    /**
     * Returns the largest recorded offset that is not after the given one, or 0 if there is none. The frame is complete
     * at that offset.
     */
    public int pcDescNotAfter(int offset) {
        int i = firstAtOrAfter(offset);
        if (i >= 0 && pcOffset(i) == offset) {
            return offset;
        }
        int before = i < 0 ? frames.length - 1 : i - 1;
        return before < 0 ? 0 : Math.max(0, pcOffset(before));
    }

    /** Returns true if a PcDesc is at exactly this offset: that of a call that returns there, or of a poll there. */
    public boolean hasPcDescAt(int offset) {
        int i = firstAtOrAfter(offset);
        return i >= 0 && pcOffset(i) == offset;
    }

    /**
     * Returns the PcDesc that has the scopes of a pc, or -1 if there is none.
     *
     * @param offset bytes from the start of the code
     * @param pcKind the origin of the pc; at an interrupted instruction the next PcDesc applies
     */
    public int pcDesc(int offset, PcKind pcKind) {
        return firstAtOrAfter(pcKind.isInterrupted() ? offset + 1 : offset);
    }

    /** Returns the cached frames of a PcDesc, certain or inferred ones, or null if none are cached. */
    public Frame @Nullable [] frames(int pcDesc, boolean certain) {
        if (certain) {
            return frames[pcDesc];
        }
        return pcDesc < inferred.length ? inferred[pcDesc] : null;
    }

    /**
     * Caches the frames of a PcDesc. They remain valid while the nmethod is in place, because its methods do not
     * change.
     */
    public void keep(int pcDesc, boolean certain, Frame[] made) {
        if (certain) {
            frames[pcDesc] = made;
            return;
        }
        if (inferred.length == 0) {
            inferred = new Frame[frames.length][];
        }
        inferred[pcDesc] = made;
    }

    /**
     * Reports the scopes at a pc, as {@link #pcDesc} and {@link #scopes} do. Returns false if none is recorded.
     *
     * @throws BadMetadata if the data read is inconsistent
     * @throws MemoryFault if the target's memory cannot be read
     */
    public boolean scopesAt(int offset, PcKind pcKind, Scopes into) throws BadMetadata, MemoryFault {
        int pcDesc = pcDesc(offset, pcKind);
        return pcDesc >= 0 && scopes(pcDesc, into);
    }

    /**
     * Reports the scopes of a PcDesc. Returns false if it has none.
     *
     * @throws BadMetadata if the data read is inconsistent
     * @throws MemoryFault if the target's memory cannot be read
     */
    public boolean scopes(int pcDesc, Scopes into) throws BadMetadata, MemoryFault {
        return scopes(pcDesc, (depth, method, bci, rest) -> into.scope(method, bci));
    }

    /** Receives a scope that is being read. */
    private interface ReadScope {
        /**
         * @param depth 0 for the innermost scope
         * @param rest the rest of the scope, which begins with the offsets of its locals, expressions and monitors
         */
        void scope(int depth, long method, int bci, CompressedBytes rest) throws BadMetadata, MemoryFault;
    }

    private boolean scopes(int pcDesc, ReadScope into) throws BadMetadata, MemoryFault {
        int at = pcDescs[2 * pcDesc + 1];
        if (at == 0 || pcOffset(pcDesc) == Integer.MAX_VALUE) {
            return false;
        }
        for (int depth = 0; at != 0; depth++) {
            if (depth == MAX_INLINE_DEPTH) {
                throw new BadMetadata("more than " + MAX_INLINE_DEPTH + " scopes at one pc");
            }
            CompressedBytes in = scopesFrom(at);
            int sender = in.readUnsigned();
            int method = in.readUnsigned();
            int bci = in.readUnsigned() + INVOCATION_ENTRY_BCI;
            if (method < 1 || method > metadata.length / 8 || sender == at || sender < 0) {
                throw new BadMetadata("a scope with method " + method + " of " + metadata.length / 8);
            }
            into.scope(depth, longAt(metadata, (method - 1) * 8), bci, in);
            at = sender;
        }
        return true;
    }

    private CompressedBytes scopesFrom(int offset) {
        return new CompressedBytes(scopes, offset, rules.unsigned5ExcludedBytes());
    }

    /**
     * Returns the monitors that the scopes of a PcDesc have entered, those of the innermost scope first, and in each
     * scope the one entered last first.
     *
     * @param objectsAt the offset of the objects that the code does not allocate, PcDesc::obj_decode_offset; 0 for none
     * @throws BadMetadata if the data read is inconsistent
     * @throws MemoryFault if the target's memory cannot be read
     */
    public List<MonitorValue> monitors(int pcDesc, int objectsAt) throws BadMetadata, MemoryFault {
        List<MonitorValue> found = new ArrayList<>();
        scopes(pcDesc, (depth, method, bci, rest) -> {
            rest.readUnsigned(); // locals
            rest.readUnsigned(); // expressions
            int monitors = rest.readUnsigned();
            if (monitors != 0) {
                List<MonitorValue> its = new ScopeValues(scopesFrom(monitors), rules).monitors(depth);
                found.addAll(its.reversed());
                if (found.size() > MAX_MONITORS) {
                    throw new BadMetadata("more than " + MAX_MONITORS + " monitors at one pc");
                }
            }
        });
        boolean isReplaced = found.stream().anyMatch(each -> each.place() == MonitorValue.Place.REPLACED);
        Map<Integer, Integer> classes =
                isReplaced && objectsAt > 0 ? new ScopeValues(scopesFrom(objectsAt), rules).classes() : Map.of();
        return found.stream().map(each -> each.withClass(classes)).toList();
    }

    /** Returns the index of the first PcDesc at or after an offset, or -1 if there is none. The array is sorted. */
    private int firstAtOrAfter(int offset) {
        int low = 0;
        int high = frames.length;
        int count = high;
        while (low < high) {
            int mid = low + high >>> 1;
            if (pcOffset(mid) >= offset) {
                high = mid;
            } else {
                low = mid + 1;
            }
        }
        return low < count ? low : -1;
    }

    /** Returns the approximate memory that this object retains, in bytes. */
    public int retainedBytes() {
        return 4 * pcDescs.length + scopes.length + metadata.length + 4 * frames.length + safepoints.retainedBytes();
    }

    static int intAt(byte[] b, int at) {
        return (b[at] & 0xff) | (b[at + 1] & 0xff) << 8 | (b[at + 2] & 0xff) << 16 | b[at + 3] << 24;
    }

    private static long longAt(byte[] b, int at) {
        return (intAt(b, at) & 0xffff_ffffL) | (long) intAt(b, at + 4) << 32;
    }
}
