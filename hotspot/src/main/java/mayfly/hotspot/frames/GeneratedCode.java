package mayfly.hotspot.frames;

import java.util.Map;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.CodeCache;
import mayfly.hotspot.code.Codelets;
import mayfly.hotspot.code.LeafReading;
import mayfly.hotspot.code.Method;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.code.Nmethod;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmFlags;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.PcMap;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;

/**
 * The code that a VM has generated, decoded by program counter, with the queries that the frame steppers need.
 *
 * <p>Each program counter is decoded once into a {@link Site}, which is reused while its blob is in place.
 */
public final class GeneratedCode {
    private static final int MAX_SITES = 150_000;
    private static final String DEBUG_NON_SAFEPOINTS = "DebugNonSafepoints";

    private final RuntimeId id;
    private final Memory memory;
    private final VmLayout layout;
    private final CodeCache cache;
    private final Methods methods;
    private final Sites sites;
    private final WalkCounters counters = new WalkCounters();
    private final PcMap<Site> exact = new PcMap<>(MAX_SITES);
    private final PcMap<Site> returns = new PcMap<>(MAX_SITES);
    private LeafReading.@Nullable Observer observer;
    /** The value of the VM's flag DebugNonSafepoints; null until it has been read. */
    private @Nullable Boolean recordsEverywhere;
    private long lastReturn;
    private @Nullable Site lastReturnSite;

    public GeneratedCode(RuntimeId id, Memory memory, ModuleSymbols symbols, VmLayout layout, JdkRules rules, CodeCache cache,
                  Methods methods) throws MemoryFault, BadMetadata {
        this.id = id;
        this.memory = memory;
        this.layout = layout;
        this.cache = cache;
        this.methods = methods;
        this.sites = new Sites(this, memory, symbols, layout, rules, cache, methods);
    }

    RuntimeId id() {
        return id;
    }

    public Codelets codelets() {
        return sites.codelets();
    }

    public WalkCounters counters() {
        return counters;
    }

    /** Returns true if an address lies in the memory reserved for generated code. */
    boolean owns(long pc) {
        return cache.reserves(pc);
    }

    /**
     * Begins a new epoch, in which each blob must be confirmed before its next use.
     *
     * @param nowNanos CLOCK_MONOTONIC, ns
     */
    public void newEpoch(long nowNanos) {
        cache.newEpoch(nowNanos);
        sites.newEpoch(nowNanos);
    }

    /**
     * Returns true if the VM was started with {@code -XX:+DebugNonSafepoints}, so that its compilers record debug
     * information for all instructions. Returns false also if the VM does not describe its flags.
     */
    public boolean recordsEverywhere() {
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

    /** Sets the observer of leaf readings. Call it before the first walk. */
    public void observeLeaves(LeafReading.Observer with) {
        observer = with;
    }

    boolean isObserved() {
        return observer != null;
    }

    void observed(LeafReading reading) {
        LeafReading.Observer with = observer;
        if (with != null) {
            with.sample(reading);
        }
    }

    /**
     * Moves the cursor from a frame in generated code to its caller and reports the frames at the cursor, leaf first.
     */
    public Step step(FrameCursor cursor, FrameSink sink) {
        Site site;
        try {
            long pc = cursor.registers().pc();
            site = cursor.exact() ? site(exact, pc, cursor.time(), true) : returnSite(pc, cursor.time());
        } catch (MemoryFault e) {
            return Step.STALE_CODE;
        } catch (BadMetadata e) {
            return Step.BAD_METADATA;
        }
        if (site == null) {
            return Step.STALE_CODE;
        }
        try {
            return site.step(cursor, sink);
        } catch (MemoryFault e) {
            return Step.STACK_UNREADABLE;
        } catch (BadMetadata e) {
            return Step.BAD_METADATA;
        }
    }

    /** Returns true if a call can return to an address in generated code, at a given time. */
    boolean isReturnAddress(long pc, long time) {
        if (!cache.reserves(pc)) {
            return false;
        }
        try {
            Site site = returnSite(pc, time);
            return site != null && site.isReturn;
        } catch (MemoryFault | BadMetadata e) {
            return false;
        }
    }

    /**
     * Returns the site of a return address. It is used twice: to verify the return address, and to report its frames.
     */
    @Nullable Site returnSite(long pc, long time) throws MemoryFault, BadMetadata {
        Site last = lastReturnSite;
        if (pc == lastReturn && last != null && isCurrent(last, time)) {
            return last;
        }
        Site site = site(returns, pc, time, false);
        lastReturn = pc;
        lastReturnSite = site;
        return site;
    }

    /**
     * Returns the outcome for a word that should be a return address and is not. The code it pointed to may have been
     * freed.
     */
    Step implausible(long word, long time, CodeBlob callee) {
        if (callee.superseded) {
            return Step.STALE_CODE;
        }
        return isFreedCode(word, time) ? Step.STALE_CODE : Step.IMPLAUSIBLE_RETURN_ADDRESS;
    }

    /**
     * Returns true if an address lies in a part of the code cache that contains no blob, or contained none at that
     * time.
     */
    boolean isFreedCode(long pc, long time) {
        if (!cache.reserves(pc)) {
            return false;
        }
        try {
            CodeBlob blob = cache.find(pc, time);
            return blob == null || blob.firstSeen > time && blob.hasPredecessor;
        } catch (MemoryFault | BadMetadata e) {
            return true;
        }
    }

    /**
     * Returns true if the frame at this return address and stack pointer itself has a caller, as far as one step can
     * determine.
     */
    boolean hasCaller(long returnAddress, long sp, FrameCursor cursor) {
        try {
            Site site = returnSite(returnAddress, cursor.time());
            return site instanceof InterpreterSite || site instanceof EntrySite
                    || site instanceof CompiledSite && site.blob.frameSize > 0
                    && isReturnAddress(cursor.stackWord(sp + 8L * site.blob.frameSize - 8), cursor.time());
        } catch (MemoryFault | BadMetadata e) {
            return false;
        }
    }

    /**
     * Returns true if an address is in a compiled method whose frame at a stack pointer is complete, with a valid
     * caller.
     */
    boolean isInMethod(long pc, long sp, FrameCursor cursor) {
        if (!cache.reserves(pc)) {
            return false;
        }
        try {
            CodeBlob blob = cache.find(pc, cursor.time());
            return blob instanceof Nmethod && blob.frameSize > 0 && pc >= blob.codeBegin && pc < blob.codeEnd
                    && isReturnAddress(cursor.stackWord(sp + 8L * blob.frameSize - 8), cursor.time());
        } catch (MemoryFault | BadMetadata e) {
            return false;
        }
    }

    /** Returns true if an address lies in the routine that a frame is named after. */
    boolean isSameRoutine(Frame frame, long address, CodeBlob blob) {
        return frame.label().equals(sites.name(address, blob));
    }

    boolean isInterpreter(long pc) {
        return sites.codelets().at(pc) != null;
    }

    @Nullable Method methodOrNull(long address) {
        try {
            return methods.at(address, cache.epoch());
        } catch (MemoryFault | BadMetadata e) {
            return null;
        }
    }

    private @Nullable Site site(PcMap<Site> map, long pc, long time, boolean isExact) throws MemoryFault, BadMetadata {
        Site site = map.get(pc);
        if (site != null && isCurrent(site, time)) {
            return site;
        }
        CodeBlob blob = cache.find(pc, time);
        if (blob == null) {
            return null;
        }
        if (!isExact && site != null && returnedBefore(site, blob, pc, time)) {
            counters.fromSuperseded++;
            return site;
        }
        if (blob.superseded) {
            counters.fromSuperseded++;
        }
        if (site == null || site.blob != blob) {
            site = sites.make(pc, blob, isExact);
            map.put(pc, site);
        }
        return site;
    }

    /**
     * Returns true if a return address belongs to the blob that was replaced. Between the last confirmation of that
     * blob and the first of its successor it may belong to either; then it belongs to the one that has a call there.
     */
    private boolean returnedBefore(Site before, CodeBlob now, long pc, long time) {
        boolean between = before.blob != now && before.blob.superseded && now.hasPredecessor && time < now.firstSeen;
        return between && before.isReturn && !sites.recordsCall(pc, now);
    }

    /** Returns true if a site is still valid, and was at a given time. */
    private boolean isCurrent(Site site, long time) {
        return cache.isConfirmed(site.blob) && (!site.blob.hasPredecessor || time >= site.blob.firstSeen);
    }
}
