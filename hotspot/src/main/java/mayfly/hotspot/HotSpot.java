package mayfly.hotspot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mayfly.hotspot.UnsupportedVm.Reason;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.ManagedThread;
import mayfly.runtime.ManagedThreadInfo;
import mayfly.runtime.PcMap;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;

/**
 * A HotSpot JVM in a traced process, read from outside.
 *
 * <p>Each program counter in generated code is understood once, as a {@link Site}, and used again for as long as its
 * blob is in place.
 */
public final class HotSpot implements ManagedRuntime {
    private static final int MAX_SITES = 150_000;
    private static final int MAX_VERSION = 128;
    private static final String DEBUG_NON_SAFEPOINTS = "DebugNonSafepoints";
    private static final int MAX_COMMAND = 16 * 1024;

    private final RuntimeId id;
    private final Memory memory;
    private final VmSymbols symbols;
    private final VmLayout layout;
    private final String version;
    private final int feature;
    private final long libraryStart;
    private final Methods methods;
    private final CodeCache cache;
    private final Sites sites;
    private final ThreadList threadList;
    private final ThreadInfos threadInfos;
    private final WalkCounters counters = new WalkCounters();
    private final PcMap<Site> exact = new PcMap<>(MAX_SITES);
    private final PcMap<Site> returns = new PcMap<>(MAX_SITES);
    private LeafReading.@Nullable Observer observer;
    /** Whether the VM's flag DebugNonSafepoints is set, once that was asked for. */
    private @Nullable Boolean recordsEverywhere;
    private long lastReturn;
    private @Nullable Site lastReturnSite;

    private HotSpot(RuntimeId id, Memory memory, VmSymbols symbols, VmLayout layout, long libraryStart)
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
        this.threadInfos = new ThreadInfos(memory, layout, rules, threadList);
        this.methods = new Methods(memory, layout, rules);
        this.cache = new CodeCache(memory, layout, new Nmethods(memory, layout));
        this.sites = new Sites(this, memory, symbols, layout, rules, cache, methods);
    }

    /**
     * Reads a VM's tables and checks that they agree with what is there.
     *
     * @param memory the target's memory; its caller makes it forget what it read between epochs
     * @param symbols of the mapped libjvm
     * @param libraryStart where that libjvm's first mapping starts
     * @throws UnsupportedVm if the VM has not started, lacks something, or contradicts itself
     */
    public static HotSpot open(RuntimeId id, Memory memory, VmSymbols symbols, long libraryStart)
            throws UnsupportedVm {
        return open(id, memory, symbols, VmLayout.of(memory, symbols), libraryStart);
    }

    static HotSpot open(RuntimeId id, Memory memory, VmSymbols symbols, VmLayout layout, long libraryStart)
            throws UnsupportedVm {
        try {
            HotSpot vm = new HotSpot(id, memory, symbols, layout, libraryStart);
            new SelfCheck(memory, vm.layout, JdkRules.of(vm.feature), vm.cache, vm.methods, vm.sites.codelets()).run();
            return vm;
        } catch (MemoryFault | BadMetadata e) {
            throw new UnsupportedVm(Reason.INCONSISTENT, "the VM's structures do not hold: " + e.getMessage());
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

    /** The feature release, such as 25. */
    public int feature() {
        return feature;
    }

    /** Where its libjvm's first mapping starts: no other runtime of the process has the same. */
    public long libraryStart() {
        return libraryStart;
    }

    /**
     * One line that names it: id, version, the address of its libjvm, and that it has ended if it has, such as {@code
     * r1 HotSpot 25.0.3+9-LTS at 0x7f5d40000000}.
     */
    public String line() {
        return id + " HotSpot " + version + " at 0x" + Long.toHexString(libraryStart) + (isDestroyed() ? ", destroyed" : "");
    }

    /**
     * Whether {@code DestroyJavaVM} has ended it. Its library stays mapped then, and its daemon threads stay blocked. The
     * answer is false where a stripped libjvm does not say.
     */
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
     * The program that the JDK's launcher started in this VM with its arguments, as the system property
     * {@code sun.java.command} has them: untrusted text. Empty if another program created the VM, or if it cannot be
     * read.
     */
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
    public boolean isLibrary(String path, long start) {
        return start == libraryStart;
    }

    @Override
    public void newEpoch(long nowNanos) {
        cache.newEpoch(nowNanos);
        sites.newEpoch(nowNanos);
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
    public ManagedThreadInfo info(ManagedThread thread) {
        return threadInfos.info(thread, cache.epoch());
    }

    /**
     * Whose each of its Java threads is, by the id that the process knows it by. Empty if the VM's threads cannot be told
     * from others.
     */
    public Map<Integer, ThreadOwner> threadOwners() throws MemoryFault {
        return ThreadOwners.read(memory, threads(), threadInfos, methods, cache.epoch());
    }

    /**
     * What is loaded into it and how it is set.
     *
     * @param forget has this VM's memory forget what it read
     */
    public VmInventory inventory(Runnable forget) {
        return new VmInventory(memory, layout, JdkRules.of(feature), methods, symbols, forget);
    }

    /**
     * Whether the VM was started with {@code -XX:+DebugNonSafepoints}, so that its compilers record debug information
     * for all instructions. False also where the VM does not describe its flags.
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

    /**
     * Has an observer see what every rule says of each sample whose leaf is in a compiled method with debug information
     * for all instructions. For measuring; to be called before the first walk.
     */
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

    /** What the walks so far met that should be rare. */
    public WalkCounters counters() {
        return counters;
    }

    /** Blobs of the code cache that were freed or replaced while we looked. */
    public long supersededBlobs() {
        return cache.supersededCount();
    }

    @Override
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

    /** Whether a call can return to an address in generated code, as it was at a time. */
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

    /** The site of a return address. It is asked for twice: is it one, and what stands there. */
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

    /** What to say of a word that should be a return address and is none: perhaps what it led to has been freed. */
    Step implausible(long word, long time, CodeBlob callee) {
        if (callee.superseded) {
            return Step.STALE_CODE;
        }
        return isFreedCode(word, time) ? Step.STALE_CODE : Step.IMPLAUSIBLE_RETURN_ADDRESS;
    }

    /** Whether an address lies in the code cache where no blob is, or none that was there at that time. */
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

    /** Whether what is returned to with this stack pointer has a caller itself, where that can be seen at once. */
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

    /** Whether an address is in a compiled method whose whole frame is at a stack pointer: its caller can be seen. */
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

    /** Whether an address lies in the routine that a frame is named after. */
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

    VmLayout layout() {
        return layout;
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
     * Whether a return address leads to where it led before another blob took the place. Between the last look at the
     * one and the first at the other it may be of either; then it is of the one that has a call there.
     */
    private boolean returnedBefore(Site before, CodeBlob now, long pc, long time) {
        boolean between = before.blob != now && before.blob.superseded && now.hasPredecessor && time < now.firstSeen;
        return between && before.isReturn && !sites.recordsCall(pc, now);
    }

    /** Whether what a site says still holds, and did at a time. */
    private boolean isCurrent(Site site, long time) {
        return cache.isConfirmed(site.blob) && (!site.blob.hasPredecessor || time >= site.blob.firstSeen);
    }
}
