package mayfly.hotspot.frames;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mayfly.arch.InstructionSet;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.CodeCache;
import mayfly.hotspot.code.DebugInfo;
import mayfly.hotspot.code.LeafReading;
import mayfly.hotspot.code.LeafRule;
import mayfly.hotspot.code.LeafScope;
import mayfly.hotspot.code.Method;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.code.MonitorValue;
import mayfly.hotspot.code.Nmethod;
import mayfly.hotspot.code.PcKind;
import mayfly.hotspot.code.Tier;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmFlags;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import org.jspecify.annotations.Nullable;

/**
 * The frames at a program counter of an nmethod: the compiled method and the methods inlined into it, from the debug
 * information, which is read on first use and dropped again.
 */
public final class NmethodFrames {
    private static final String DEBUG_NON_SAFEPOINTS = "DebugNonSafepoints";
    /** CompLevel_full_optimization. */
    private static final int C2_LEVEL = 4;
    /** Debug information is dropped if it was not used for this time. It can be read again while the nmethod exists. */
    private static final long KEEP_NANOS = 20_000_000_000L;

    private static final int MAX_KEPT_BYTES = 10 << 20;
    /** Upper bound on the nmethods whose debug information is checked in each epoch; they are checked in turn. */
    private static final int LOOKS = 64;

    private final RuntimeId id;
    private final Memory memory;
    private final VmLayout layout;
    private final JdkRules rules;
    private final CodeCache cache;
    private final Methods methods;
    private final InstructionSet instructions;
    private final WalkCounters counters;
    private final ArrayDeque<Nmethod> withDebugInfo = new ArrayDeque<>();
    private int keptBytes;
    private LeafReading.@Nullable Observer observer;
    /** The value of the VM's flag DebugNonSafepoints; null until it has been read. */
    private @Nullable Boolean recordsEverywhere;

    NmethodFrames(
            RuntimeId id,
            Memory memory,
            VmLayout layout,
            JdkRules rules,
            CodeCache cache,
            Methods methods,
            InstructionSet instructions,
            WalkCounters counters) {
        this.id = id;
        this.memory = memory;
        this.layout = layout;
        this.rules = rules;
        this.cache = cache;
        this.methods = methods;
        this.instructions = instructions;
        this.counters = counters;
    }

    void newEpoch(long nowNanos) {
        for (int looks = Math.min(LOOKS, withDebugInfo.size()); looks > 0; looks--) {
            Nmethod oldest = withDebugInfo.removeFirst();
            DebugInfo info = oldest.debugInfo;
            if (info != null && keptBytes <= MAX_KEPT_BYTES && nowNanos - info.lastUsed < KEEP_NANOS) {
                withDebugInfo.addLast(oldest);
            } else if (info != null) {
                keptBytes -= info.retainedBytes();
                oldest.debugInfo = null;
            }
        }
    }

    void observe(LeafReading.Observer with) {
        observer = with;
    }

    /** Reports the reading of a sampled leaf to the observer. */
    public void observed(LeafReading reading) {
        LeafReading.Observer with = observer;
        if (with != null) {
            with.sample(reading);
        }
    }

    boolean recordsEverywhere() {
        Boolean known = recordsEverywhere;
        if (known == null) {
            known = layout.hasAll(VmFlags.NEEDS) && readFlag(DEBUG_NON_SAFEPOINTS);
            recordsEverywhere = known;
        }
        return known;
    }

    private boolean readFlag(String name) {
        try {
            return new VmFlags(memory, layout, Map.of(name, false)).isSet(name);
        } catch (MemoryFault | BadMetadata e) {
            return false;
        }
    }

    /**
     * Returns the debug information, or null if the VM has freed it: since JDK 23 this happens before the blob is
     * freed.
     */
    public @Nullable DebugInfo debugInfo(Nmethod nmethod) {
        DebugInfo info = nmethod.debugInfo;
        if (info == null) {
            try {
                info = DebugInfo.read(nmethod.tables, memory, layout, rules);
            } catch (MemoryFault e) {
                return null;
            }
            nmethod.debugInfo = info;
            keptBytes += info.retainedBytes();
            withDebugInfo.addLast(nmethod);
        }
        info.lastUsed = cache.now();
        return info;
    }

    /** Returns true if a blob's own data records a call that returns to an address. */
    boolean recordsCall(long pc, CodeBlob blob) {
        DebugInfo info = blob instanceof Nmethod nmethod ? debugInfo(nmethod) : null;
        return info != null && info.hasPcDescAt((int) (pc - blob.codeBegin));
    }

    /**
     * Returns the frames at a program counter of a compiled method, innermost first.
     *
     * @param offset bytes from the start of the code
     * @param info the debug information; null if the VM has freed it
     */
    public Frame[] at(int offset, Nmethod nmethod, @Nullable DebugInfo info, PcKind pcKind) {
        if (info == null) {
            return new Frame[] {
                whole(nmethod, pcKind.isInterrupted() ? Frame.Certainty.ENCLOSING : Frame.Certainty.CERTAIN)
            };
        }
        if (pcKind.isInterrupted()) {
            return leaf(nmethod, info, offset);
        }
        return frames(nmethod, info, info.pcDesc(offset, PcKind.RETURN), true);
    }

    /**
     * Returns the frames at a sampled program counter. Before the frame is complete, this is only the frame of the
     * compiled method itself.
     */
    private Frame[] leaf(Nmethod nmethod, DebugInfo info, int offset) {
        if (isEntry(nmethod, offset)) {
            return new Frame[] {whole(nmethod)};
        }
        LeafScope.Found found =
                LeafScope.at(offset, info.isEverywhere() || recordsEverywhere(), nmethod, info, memory, instructions);
        if (found.pcDesc() != LeafScope.NONE) {
            return frames(nmethod, info, found.pcDesc(), found.exact());
        }
        // If the next location has no inlined methods, it still gives the approximate line.
        Frame[] next = frames(nmethod, info, info.pcDesc(offset, PcKind.INTERRUPTED), false);
        return next.length == 1 ? next : new Frame[] {whole(nmethod, Frame.Certainty.ENCLOSING)};
    }

    private static boolean isEntry(Nmethod nmethod, int offset) {
        return nmethod.osrEntry == 0 && offset < nmethod.frameComplete;
    }

    /**
     * Returns the choices of all rules at a sampled program counter; null without an observer, or if the choices cannot
     * be compared with recorded information.
     */
    public @Nullable LeafReading reading(int offset, Nmethod nmethod, @Nullable DebugInfo info) {
        if (observer == null || info == null || !info.isEverywhere() && !recordsEverywhere()) {
            return null;
        }
        DebugInfo hidden = info.atSafepoints();
        Frame[] recorded = leaf(nmethod, info, offset);
        Frame[] after = frames(nmethod, hidden, hidden.pcDesc(offset, PcKind.INTERRUPTED), true);
        Frame[] before = frames(nmethod, hidden, hidden.pcDescAtOrBefore(offset), true);
        boolean entry = isEntry(nmethod, offset);
        LeafScope.Found found = entry
                ? new LeafScope.Found(LeafScope.NONE, true)
                : LeafScope.at(offset, false, nmethod, hidden, memory, instructions);
        Frame[] branches = frames(nmethod, hidden, found.pcDesc(), true);
        return new LeafReading(
                recorded[0].label(),
                Map.of(
                        LeafRule.AFTER,
                        after[0].label(),
                        LeafRule.BEFORE,
                        before[0].label(),
                        LeafRule.COMMON,
                        common(after, before).label(),
                        LeafRule.BRANCHES,
                        branches[0].label()),
                found.exact(),
                nmethod.compLevel == C2_LEVEL);
    }

    /** Returns the innermost scope that two locations have in common, starting from the outermost. */
    private static Frame common(Frame[] a, Frame[] b) {
        Frame found = a[a.length - 1];
        for (int i = 1; i <= Math.min(a.length, b.length); i++) {
            Frame one = a[a.length - i];
            Frame other = b[b.length - i];
            if (!one.label().equals(other.label())) {
                break;
            }
            found = one;
            if (!one.equals(other)) {
                break; // different calls in one method: their callees are unrelated
            }
        }
        return found;
    }

    /**
     * Returns the monitors at a return address in a compiled method: see {@link Site#monitors}. Empty if no call that
     * returns there is recorded, or if the VM has freed the debug information.
     *
     * @param offset bytes from the start of the code
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public List<MonitorValue> monitors(int offset, Nmethod nmethod) throws MemoryFault, BadMetadata {
        DebugInfo info = debugInfo(nmethod);
        if (info == null || !info.hasPcDescAt(offset)) {
            return List.of();
        }
        int pcDesc = info.pcDesc(offset, PcKind.RETURN);
        int objectsAt = layout.has(VmField.PC_DESC_OBJ_DECODE_OFFSET)
                ? memory.readInt(nmethod.tables.pcs()
                        + (long) pcDesc * layout.pcDescSize
                        + layout.at(VmField.PC_DESC_OBJ_DECODE_OFFSET))
                : 0;
        return info.monitors(pcDesc, objectsAt);
    }

    /**
     * Returns the frame of a compiled method without a bytecode index; a stub frame if its class has been unloaded
     * since the sample.
     */
    Frame whole(Nmethod nmethod) {
        return whole(nmethod, Frame.Certainty.CERTAIN);
    }

    private Frame whole(Nmethod nmethod, Frame.Certainty certainty) {
        Method method = methods.orNull(nmethod.method, cache.epoch());
        if (method == null) {
            counters.countUnloaded();
            return new Frame.Stub(id, Methods.UNLOADED);
        }
        return method.frame(
                id, nmethod.kind == CodeBlob.Kind.NATIVE_NMETHOD ? Tier.NATIVE : tier(nmethod), -1, certainty);
    }

    private static Tier tier(Nmethod nmethod) {
        return nmethod.compLevel == C2_LEVEL ? Tier.C2 : Tier.C1;
    }

    /**
     * Returns the frames of a PcDesc.
     *
     * @param certain true if it was recorded for the instruction; otherwise only the compiled method itself is certain
     */
    private Frame[] frames(Nmethod nmethod, DebugInfo info, int pcDesc, boolean certain) {
        Frame[] known = pcDesc < 0 ? null : info.frames(pcDesc, certain);
        if (known != null) {
            return known;
        }
        Frame.Certainty atLeaf = certain ? Frame.Certainty.CERTAIN : Frame.Certainty.ENCLOSING;
        List<Method> found = new ArrayList<>();
        List<Integer> bcis = new ArrayList<>();
        try {
            if (pcDesc < 0
                    || !info.scopes(pcDesc, (address, bci) -> {
                        found.add(methods.at(address, cache.epoch()));
                        bcis.add(bci);
                    })) {
                return new Frame[] {whole(nmethod, atLeaf)};
            }
        } catch (MemoryFault | BadMetadata e) {
            return new Frame[] {whole(nmethod, atLeaf)}; // the class of an inlined method has been unloaded
        }
        Frame[] frames = new Frame[found.size()];
        for (int i = 0; i < frames.length; i++) {
            boolean inlined = i < frames.length - 1;
            Frame.Certainty certainty = i == 0 ? atLeaf : Frame.Certainty.CERTAIN;
            if (inlined && !certain) {
                certainty = Frame.Certainty.INFERRED;
            }
            frames[i] = found.get(i).frame(id, inlined ? Tier.INLINED : tier(nmethod), bcis.get(i), certainty);
        }
        info.keep(pcDesc, certain, frames);
        return frames;
    }
}
