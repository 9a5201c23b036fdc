package mayfly.hotspot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import mayfly.arch.Architecture;
import mayfly.hotspot.code.CodeCache;
import mayfly.hotspot.code.LeafReading;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.code.Nmethods;
import mayfly.hotspot.code.VmReaders;
import mayfly.hotspot.counters.PauseCounters;
import mayfly.hotspot.frames.GeneratedCode;
import mayfly.hotspot.frames.SiteDecoder;
import mayfly.hotspot.frames.WalkCounters;
import mayfly.hotspot.inventory.ThreadOwners;
import mayfly.hotspot.inventory.VmInventory;
import mayfly.hotspot.locks.ThreadLocks;
import mayfly.hotspot.safepoints.Safepoints;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.Continuations;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.Unreadable;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.hotspot.tables.UnsupportedVm.Reason;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.tables.VmStructs;
import mayfly.hotspot.threads.AllocTracerCalls;
import mayfly.hotspot.threads.AllocatedBytes;
import mayfly.hotspot.threads.ThreadInfos;
import mayfly.hotspot.threads.ThreadList;
import mayfly.hotspot.threads.VmThreads;
import mayfly.hotspot.virtual.VirtualThreads;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.Step;
import mayfly.runtime.collection.Collections;
import mayfly.runtime.suspension.Suspensions;
import mayfly.runtime.thread.AllocationCalls;
import mayfly.runtime.thread.AllocationCounters;
import mayfly.runtime.thread.FrameMonitor;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.MonitorState;
import mayfly.runtime.thread.UnmountedThreads;
import mayfly.runtime.thread.Unread;
import org.jspecify.annotations.Nullable;

/** A HotSpot JVM in another process, read from outside. {@code GeneratedCode} decodes its generated code. */
public final class HotSpot implements ManagedRuntime {
    private static final int MAX_VERSION = 128;
    private static final int MAX_COMMAND = 16 * 1024;
    /** The thread that resumes virtual threads which waited for a monitor. It never ends. */
    private static final String UNBLOCKER = "VirtualThread-unblocker";

    private final RuntimeId id;
    private final Memory memory;
    private final ModuleSymbols symbols;
    private final VmLayout layout;
    private final String version;
    private final int feature;
    private final long libraryStart;
    private final Methods methods;
    private final CodeCache cache;
    private final GeneratedCode code;
    private final ThreadList threadList;
    private final ThreadInfos threadInfos;
    private final ThreadLocks threadLocks;
    private final List<Integer> referenceShifts;

    private HotSpot(
            RuntimeId id, SiteDecoder decoder, Memory memory, ModuleSymbols symbols, VmLayout layout, long libraryStart)
            throws UnsupportedVm, MemoryFault, BadMetadata {
        this.id = id;
        this.memory = memory;
        this.symbols = symbols;
        this.libraryStart = libraryStart;
        this.layout = layout;
        this.feature = memory.readInt(layout.at(VmField.VM_MAJOR_VERSION));
        if (feature < JdkRules.OLDEST) {
            throw new UnsupportedVm(Reason.INCONSISTENT, "JDK " + feature + " is older than " + JdkRules.OLDEST);
        }
        this.version = VmStructs.string(memory, memory.readLong(layout.at(VmField.VM_RELEASE)), MAX_VERSION);
        JdkRules rules = JdkRules.of(feature);
        this.threadList = new ThreadList(memory, layout);
        threadList.requireStarted();
        this.referenceShifts = decoder.referenceShifts();
        this.threadInfos = new ThreadInfos(memory, layout, referenceShifts, rules, threadList);
        this.methods = new Methods(memory, layout, rules);
        this.threadLocks = new ThreadLocks(readers(), threadList);
        this.cache = new CodeCache(memory, layout, new Nmethods(memory, layout));
        this.code = new GeneratedCode(id, memory, symbols, layout, rules, cache, methods, decoder);
        if (!code.codelets().isComplete()) {
            throw new UnsupportedVm(Reason.STARTING, "the JVM is still starting");
        }
    }

    /**
     * Reads the VM's tables and checks that they are consistent with its memory.
     *
     * @param cpu the CPU that the target runs on
     * @param memory the target's memory; the caller discards its cached pages between epochs
     * @param symbols the symbols of the mapped libjvm
     * @param libraryStart the start of that libjvm's first mapping
     * @throws UnsupportedVm if the VM has not started, is older than the oldest supported JDK, lacks a required
     *         structure, is inconsistent, or runs on a CPU whose frames are not supported
     */
    public static HotSpot open(RuntimeId id, Architecture cpu, Memory memory, ModuleSymbols symbols, long libraryStart)
            throws UnsupportedVm {
        return open(id, SiteDecoders.of(cpu), memory, symbols, VmLayout.of(memory, symbols), libraryStart);
    }

    static HotSpot open(
            RuntimeId id, SiteDecoder decoder, Memory memory, ModuleSymbols symbols, VmLayout layout, long libraryStart)
            throws UnsupportedVm {
        try {
            HotSpot vm = new HotSpot(id, decoder, memory, symbols, layout, libraryStart);
            new SelfCheck(vm.readers(), vm.cache, vm.code.codelets()).run();
            return vm;
        } catch (MemoryFault | BadMetadata e) {
            throw new UnsupportedVm(Reason.INCONSISTENT, "the VM's structures are inconsistent: " + e.getMessage());
        }
    }

    @Override
    public RuntimeId id() {
        return id;
    }

    @Override
    public String version() {
        return version;
    }

    /** Returns the feature release, such as 25. */
    public int feature() {
        return feature;
    }

    @Override
    public String kind() {
        return HotSpotLoader.KIND;
    }

    @Override
    public long libraryStart() {
        return libraryStart;
    }

    /**
     * Returns true if {@code DestroyJavaVM} has ended this VM. Its library then stays mapped, and its daemon threads
     * stay blocked. Returns false if a stripped libjvm does not provide this information.
     */
    @Override
    public boolean isDestroyed() {
        long exited = symbols.address("_ZN7VM_Exit10_vm_exitedE");
        try {
            return exited != 0 && memory.readByte(exited) != 0;
        } catch (MemoryFault e) {
            return false; // the process is ending
        }
    }

    ThreadList threadList() {
        return threadList;
    }

    /**
     * Returns the program that the JDK's launcher started in this VM, with its arguments: the value of the system
     * property {@code sun.java.command}. Empty if another program created the VM, or if the value cannot be read.
     */
    @Override
    public String command() {
        if (!layout.has(VmField.JAVA_COMMAND)) {
            return "";
        }
        try {
            long text = memory.readLong(layout.at(VmField.JAVA_COMMAND));
            return text == 0 ? "" : VmStructs.string(memory, text, MAX_COMMAND);
        } catch (MemoryFault e) {
            return "";
        }
    }

    @Override
    public boolean owns(long pc) {
        return cache.reserves(pc);
    }

    @Override
    public List<Frame> codeAt(long address) {
        return code.framesAt(address);
    }

    @Override
    public boolean isLibrary(String path, long start) {
        return start == libraryStart;
    }

    @Override
    public void newEpoch(long nowNanos) {
        code.newEpoch(nowNanos);
    }

    @Override
    public boolean lastManagedFrame(long handle, Registers into) throws MemoryFault {
        return threadList.lastJavaFrame(handle, into);
    }

    @Override
    public List<ManagedThread> threads() throws MemoryFault {
        List<ManagedThread> threads = new ArrayList<>();
        threadList.forEach((tid, address) -> threads.add(new ManagedThread(tid, address)));
        return threads;
    }

    @Override
    public boolean mayHaveUnmountedThreads(Function<ManagedThread, ManagedThreadInfo> infos) {
        JdkRules rules = JdkRules.of(feature);
        return Continuations.of(layout, rules, symbols).mayHaveRun(memory)
                && (!rules.startsUnblocker() || mayHaveUnblocker(infos));
    }

    /** Returns true if the unblocker exists, or if the name of a thread cannot be read. */
    private boolean mayHaveUnblocker(Function<ManagedThread, ManagedThreadInfo> infos) {
        try {
            for (ManagedThread thread : threads()) {
                ManagedThreadInfo its = infos.apply(thread);
                if (isUnknown(its.unread()) || UNBLOCKER.equals(its.name())) {
                    return true;
                }
            }
            return false;
        } catch (MemoryFault e) {
            return true;
        }
    }

    /**
     * Returns true if a thread whose name was not read may be the unblocker. A thread without an object has no name,
     * and the unblocker's name is not too long to be read.
     */
    private static boolean isUnknown(@Nullable Unread reason) {
        return reason != null && reason != Unread.NO_THREAD_OBJECT && reason != Unread.TOO_LONG;
    }

    @Override
    public ManagedThreadInfo info(ManagedThread thread) {
        return threadInfos.info(thread, cache.epoch());
    }

    @Override
    public ManagedThreadState state(ManagedThread thread) {
        return threadInfos.state(thread, cache.epoch());
    }

    @Override
    public LockWait lockWait(ManagedThread thread) {
        return threadLocks.waitOf(thread, cache.epoch());
    }

    @Override
    public Map<ManagedThread, LockOwner> lockOwners(Map<ManagedThread, LockWait> waits) {
        try {
            return threadLocks.ownersOf(threads(), waits, cache.epoch());
        } catch (MemoryFault e) {
            return Map.of(); // the process is ending
        }
    }

    @Override
    public void prepareMonitors() {
        threadLocks.prepare(cache.epoch());
    }

    @Override
    public MonitorState monitorState(ManagedThread thread) {
        return threadLocks.stateOf(thread);
    }

    @Override
    public List<FrameMonitor> monitors(FrameCursor cursor, MonitorState state) {
        try {
            return threadLocks.monitorsOf(code.monitors(cursor), state, cache.epoch());
        } catch (MemoryFault e) {
            return List.of(FrameMonitor.unread(0, Unread.NOT_READABLE));
        } catch (BadMetadata e) {
            return List.of(FrameMonitor.unread(0, Unread.IMPLAUSIBLE));
        }
    }

    @Override
    public Optional<UnmountedThreads> unmountedThreads(long maxBytes) {
        if (!Continuations.of(layout, JdkRules.of(feature), symbols).mayHaveRun(memory)) {
            return Optional.empty();
        }
        try {
            return Optional.of(VirtualThreads.prepare(readers(), code, maxBytes));
        } catch (MemoryFault e) {
            return Optional.of(UnmountedThreads.unreadable(Unread.NOT_READABLE));
        } catch (BadMetadata e) {
            return Optional.of(UnmountedThreads.unreadable(Unread.IMPLAUSIBLE));
        } catch (Unreadable e) {
            return Optional.of(UnmountedThreads.unreadable(e.reason));
        }
    }

    @Override
    public Optional<Suspensions> suspensions() {
        return Safepoints.of(memory, symbols, layout);
    }

    @Override
    public Optional<Collections> collections() {
        return PauseCounters.of(memory, symbols, layout);
    }

    @Override
    public Optional<AllocationCounters> allocationCounters() {
        return AllocatedBytes.of(memory, layout);
    }

    @Override
    public Optional<AllocationCalls> allocationCalls() {
        return AllocTracerCalls.of(symbols, methods);
    }

    private VmReaders readers() {
        return new VmReaders(memory, layout, referenceShifts, JdkRules.of(feature), methods);
    }

    /**
     * Returns an inventory of the classes, flags, properties and agents of this VM.
     *
     * @param forget discards the cached pages of this VM's memory
     */
    public VmInventory inventory(Runnable forget) {
        return new VmInventory(
                readers(),
                symbols,
                forget,
                () -> ThreadOwners.read(memory, threads(), threadInfos, methods, cache.epoch()));
    }

    /**
     * Sets an observer, which receives the choice of every {@code LeafRule} for each sample whose leaf is in a compiled
     * method with debug information for all instructions. Only measurements use this method. It must be called before
     * the first walk.
     */
    public void observeLeaves(LeafReading.Observer with) {
        code.observeLeaves(with);
    }

    /** Returns the counts of rare events in the walks so far. */
    WalkCounters counters() {
        return code.counters();
    }

    @Override
    public long supersededCode() {
        return cache.supersededCount();
    }

    @Override
    public long supersededFrames() {
        return counters().fromSuperseded();
    }

    @Override
    public Map<String, Long> rareEvents() {
        return Map.of(
                "compiled frames were larger than their code says",
                counters().slipped(),
                "leaf frames were in a state other than their code says",
                counters().otherState());
    }

    @Override
    public String wholeThreadName(String kernelsName) {
        return VmThreads.wholeName(kernelsName);
    }

    @Override
    public Step step(FrameCursor cursor, FrameSink sink) {
        return code.step(cursor, sink);
    }

    /**
     * Returns true if the VM was started with {@code -XX:+DebugNonSafepoints}: its compilers then record debug
     * information for all instructions. Returns false if the VM does not describe its flags.
     */
    @Override
    public boolean hasCertainLeaves() {
        return code.recordsEverywhere();
    }

    public GeneratedCode code() {
        return code;
    }

    VmLayout layout() {
        return layout;
    }
}
