package mayfly.hotspot.frames;

import java.util.List;
import mayfly.arch.InstructionSet;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.CodeCache;
import mayfly.hotspot.code.Codelets;
import mayfly.hotspot.code.LeafReading;
import mayfly.hotspot.code.Method;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.code.MonitorSlot;
import mayfly.hotspot.code.Nmethod;
import mayfly.hotspot.code.PcKind;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.profile.column.PcMap;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;

/**
 * The code that a VM has generated, decoded by program counter, with the queries that the frame steppers need.
 *
 * <p>Each program counter is decoded once into a {@link Site}, which is reused while its blob is in place. This class
 * determines the kind of code that contains the program counter; the {@link SiteDecoder} of the target's CPU decodes
 * the frame.
 */
public final class GeneratedCode {
    private static final int MAX_SITES = 150_000;
    private static final Frame[] NOTHING = {};

    private final RuntimeId id;
    private final Memory memory;
    private final CodeCache cache;
    private final Methods methods;
    private final Codelets codelets;
    private final Routines routines;
    private final NmethodFrames nmethodFrames;
    private final SiteDecoder decoder;
    private final InstructionSet instructions;
    private final WalkCounters counters = new WalkCounters();
    private final PcMap<Site> exact = new PcMap<>(MAX_SITES);
    private final PcMap<Site> returns = new PcMap<>(MAX_SITES);
    private long lastReturn;
    private @Nullable Site lastReturnSite;

    /**
     * @param decoder the decoder for the target's CPU
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public GeneratedCode(
            RuntimeId id,
            Memory memory,
            ModuleSymbols symbols,
            VmLayout layout,
            JdkRules rules,
            CodeCache cache,
            Methods methods,
            SiteDecoder decoder)
            throws MemoryFault, BadMetadata {
        this.id = id;
        this.memory = memory;
        this.cache = cache;
        this.methods = methods;
        this.decoder = decoder;
        this.instructions = decoder.architecture().instructions();
        this.codelets = Codelets.read(memory, layout);
        this.routines = new Routines(memory, symbols, layout, rules, cache, decoder);
        this.nmethodFrames = new NmethodFrames(id, memory, layout, rules, cache, methods, instructions, counters);
    }

    /** Returns the id of the VM, for its frames. */
    public RuntimeId id() {
        return id;
    }

    /** Returns the target's current memory. */
    public Memory memory() {
        return memory;
    }

    public Codelets codelets() {
        return codelets;
    }

    /** Returns the code that is not a method. */
    public Routines routines() {
        return routines;
    }

    /** Returns the frames of compiled methods. */
    public NmethodFrames nmethodFrames() {
        return nmethodFrames;
    }

    public WalkCounters counters() {
        return counters;
    }

    /** Returns true if an address lies in the memory reserved for generated code. */
    public boolean owns(long pc) {
        return cache.reserves(pc);
    }

    /**
     * Begins a new epoch, in which each blob must be confirmed before its next use.
     *
     * @param nowNanos CLOCK_MONOTONIC, ns
     */
    public void newEpoch(long nowNanos) {
        cache.newEpoch(nowNanos);
        nmethodFrames.newEpoch(nowNanos);
    }

    /**
     * Returns true if the VM was started with {@code -XX:+DebugNonSafepoints}: its compilers then record debug
     * information for all instructions. Returns false if the VM does not describe its flags.
     */
    public boolean recordsEverywhere() {
        return nmethodFrames.recordsEverywhere();
    }

    /** Sets the observer of leaf readings. Call it before the first walk. */
    public void observeLeaves(LeafReading.Observer with) {
        nmethodFrames.observe(with);
    }

    /**
     * Moves the cursor from a frame in generated code to its caller and reports the frames at the cursor, leaf first.
     */
    public Step step(FrameCursor cursor, FrameSink sink) {
        Site site;
        try {
            site = siteAt(cursor);
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

    private @Nullable Site siteAt(FrameCursor cursor) throws MemoryFault, BadMetadata {
        long pc = cursor.registers().pc();
        return cursor.exact() ? site(exact, pc, cursor.time(), PcKind.INTERRUPTED) : returnSite(pc, cursor.time());
    }

    /**
     * Returns the monitors that the frames at the cursor have entered: see {@link Site#monitors}. Empty if the code at
     * the cursor is unknown.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public List<MonitorSlot> monitors(FrameCursor cursor) throws MemoryFault, BadMetadata {
        Site site = siteAt(cursor);
        return site == null
                ? List.of()
                : site.monitors(cursor, cursor.registers().pc());
    }

    /**
     * Reports the frames of an unmounted virtual thread in one stack chunk, leaf first.
     *
     * @param time the time of the copy, CLOCK_MONOTONIC, ns
     * @return {@link Step#ROOT} at the end of the chunk, or the reason why a frame could not be passed
     */
    public Step frozen(FrozenFrames chunk, long time, FrameSink sink) {
        try {
            return decoder.frozen(chunk, this, time, sink);
        } catch (MemoryFault e) {
            return Step.STALE_CODE;
        } catch (BadMetadata e) {
            return Step.BAD_METADATA;
        }
    }

    /**
     * Returns true if a call can return to an address in generated code, at a given time. Counts an address whose code
     * cannot be read, and returns false.
     */
    public boolean isReturnAddress(long pc, long time) {
        if (!cache.reserves(pc)) {
            return false;
        }
        try {
            Site site = returnSite(pc, time);
            return site != null && site.isReturn;
        } catch (MemoryFault | BadMetadata e) {
            counters.countUnreadable();
            return false;
        }
    }

    /**
     * Returns the site of a return address; null if its code is unknown. A step uses it twice: to verify the return
     * address, and to report its frames.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public @Nullable Site returnSite(long pc, long time) throws MemoryFault, BadMetadata {
        Site last = lastReturnSite;
        if (pc == lastReturn && last != null && isCurrent(last, time)) {
            return last;
        }
        Site site = site(returns, pc, time, PcKind.RETURN);
        lastReturn = pc;
        lastReturnSite = site;
        return site;
    }

    /**
     * Returns the outcome for a word that should be a return address and is not. The code it pointed to may have been
     * freed.
     */
    public Step implausible(long word, long time, CodeBlob callee) {
        if (callee.superseded) {
            return Step.STALE_CODE;
        }
        return isFreedCode(word, time) ? Step.STALE_CODE : Step.IMPLAUSIBLE_RETURN_ADDRESS;
    }

    /**
     * Returns true if an address lies in the code cache, but the blob that contained it at that time is unknown or
     * cannot be read.
     */
    public boolean isFreedCode(long pc, long time) {
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
     * Returns the blob that contained an address at a given time; null if there was none. Counts a blob that cannot be
     * read, and returns null.
     */
    public @Nullable CodeBlob blobOrNull(long pc, long time) {
        if (!cache.reserves(pc)) {
            return null;
        }
        try {
            return cache.find(pc, time);
        } catch (MemoryFault | BadMetadata e) {
            counters.countUnreadable();
            return null;
        }
    }

    /**
     * Returns the frames of the code at an address now, innermost first; empty if there is no code, or if it cannot be
     * read.
     */
    public List<Frame> framesAt(long address) {
        CodeBlob blob = blobOrNull(address, cache.now());
        if (blob == null || blob.superseded || address < blob.codeBegin || address >= blob.codeEnd) {
            return List.of();
        }
        if (blob.kind == CodeBlob.Kind.NATIVE_NMETHOD) {
            return List.of(nmethodFrames.whole((Nmethod) blob));
        }
        if (blob instanceof Nmethod nmethod) {
            int offset = (int) (address - blob.codeBegin);
            return List.of(nmethodFrames.at(offset, nmethod, nmethodFrames.debugInfo(nmethod), PcKind.INTERRUPTED));
        }
        Codelets.Codelet codelet = codelets.at(address);
        return List.of(new Frame.Stub(id, codelet == null ? routines.name(address, blob) : codelet.description()));
    }

    /** Returns true if an address lies in the routine that a frame is named after. */
    public boolean isSameRoutine(Frame frame, long address, CodeBlob blob) {
        return frame.label().equals(routines.name(address, blob));
    }

    /** Returns true if an address lies in the template interpreter. */
    public boolean isInterpreter(long pc) {
        return codelets.at(pc) != null;
    }

    /** Returns the method at an address, confirmed in this epoch, or null if there is none that can be read. */
    public @Nullable Method methodOrNull(long address) {
        return methods.orNull(address, cache.epoch());
    }

    private @Nullable Site site(PcMap<Site> map, long pc, long time, PcKind pcKind) throws MemoryFault, BadMetadata {
        Site site = map.get(pc);
        if (site != null && isCurrent(site, time)) {
            return site;
        }
        CodeBlob blob = cache.find(pc, time);
        if (blob == null) {
            return null;
        }
        if (pcKind == PcKind.RETURN && site != null && returnedBefore(site, blob, pc, time)) {
            counters.countFromSuperseded();
            return site;
        }
        if (blob.superseded) {
            counters.countFromSuperseded();
        }
        if (site == null || site.blob != blob) {
            site = decode(pc, blob, pcKind);
            map.put(pc, site);
        }
        return site;
    }

    /** Creates the site of a program counter in a blob. */
    private Site decode(long pc, CodeBlob blob, PcKind pcKind) throws MemoryFault, BadMetadata {
        if (blob instanceof Nmethod nmethod) {
            return nmethod(pc, nmethod, pcKind);
        }
        if (blob.kind == CodeBlob.Kind.INTERPRETER) {
            Codelets.Codelet codelet = codelets.at(pc);
            if (codelet == null) {
                throw new BadMetadata("no codelet at 0x" + Long.toHexString(pc));
            }
            return decoder.interpreted(pc, blob, codelet, pcKind, this);
        }
        if (routines.isCallStubReturn(pc)) {
            return decoder.entry(blob, new Frame.Stub(id, "call_stub"), this);
        }
        if (pcKind == PcKind.RETURN
                && blob.kind == CodeBlob.Kind.STUBS
                && routines.isReturnBarrier(pc, isAfterCall(pc, blob))) {
            return decoder.continuation(blob, NOTHING, this);
        }
        return decoder.stub(pc, blob, pcKind, this);
    }

    /**
     * Returns true if a call that can return precedes an address in code that is not a method.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    public boolean isAfterCall(long pc, CodeBlob blob) throws MemoryFault {
        return blob.kind != CodeBlob.Kind.VTABLE && instructions.callEndsAt(pc, memory);
    }

    private Site nmethod(long pc, Nmethod nmethod, PcKind pcKind) throws MemoryFault, BadMetadata {
        if (pcKind == PcKind.RETURN && nmethod.isDeoptHandler(pc)) {
            return new DeoptimizedSite(this, nmethod);
        }
        if (nmethod.kind != CodeBlob.Kind.NATIVE_NMETHOD) {
            return decoder.compiled(pc, nmethod, pcKind, this);
        }
        Frame[] frames = {nmethodFrames.whole(nmethod)};
        return routines.isEnterSpecialReturn(pc)
                ? decoder.continuation(nmethod, frames, this)
                : decoder.wrapper(pc, nmethod, pcKind, frames, this);
    }

    /**
     * Returns true if a return address belongs to the blob that was replaced. Between the last confirmation of that
     * blob and the first read of its successor, the address may belong to either. It then belongs to the replaced blob
     * if only that blob has a call there.
     */
    private boolean returnedBefore(Site before, CodeBlob now, long pc, long time) {
        boolean between = before.blob != now && before.blob.superseded && now.hasPredecessor && time < now.firstSeen;
        return between && before.isReturn && !nmethodFrames.recordsCall(pc, now);
    }

    /** Returns true if a site is still valid, and was at a given time. */
    private boolean isCurrent(Site site, long time) {
        return cache.isConfirmed(site.blob) && (!site.blob.hasPredecessor || time >= site.blob.firstSeen);
    }
}
