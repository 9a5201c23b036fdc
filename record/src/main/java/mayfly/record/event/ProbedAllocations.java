package mayfly.record.event;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import mayfly.arch.Architecture;
import mayfly.arch.InstructionSet;
import mayfly.discovery.Doctor.Need;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.linux.LiveProcess;
import mayfly.linux.perf.CallCollector;
import mayfly.linux.perf.PerfCollector;
import mayfly.linux.perf.PerfUnavailable;
import mayfly.linux.perf.Probe;
import mayfly.linux.perf.Uprobe;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Owned;
import mayfly.process.Mapping;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.AllocationCalls;
import mayfly.runtime.thread.AllocationCalls.Allocation;
import mayfly.unwind.StackSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * The samples of allocations: the kernel takes one whenever a thread enters a function that its runtime calls when it
 * obtains memory from the heap. A breakpoint is in these functions while the source is enabled. It is placed only on an
 * instruction that the kernel emulates, so that nothing of it is left in the process when it has been removed.
 */
final class ProbedAllocations implements EventSource {
    private static final List<String> LIMITS = List.of(
            "a breakpoint is in the JVM's code while its allocations are recorded; it is removed at the end",
            "one allocation is sampled for each 512 KiB that a thread obtains, and none that fits into its buffer: the"
                    + " bytes between two samples belong to the code and the class of the first of them. In a loop that"
                    + " allocates objects of several classes in the same order, the shares of these classes are not"
                    + " certain");

    /** Each call is copied, as long as the ring has room. */
    private static final SourceCost COST =
            new SourceCost(0, SourceCost.ANY_RATE, List.of(new SourceCost.StackCopy(SourceCost.ANY_RATE, 32 << 10)));

    /** The same source for each collector: its samples are always of threads. */
    static final List<SourceKind> KINDS =
            List.of(kind(PerfSource.SYSTEM_WIDE), kind(PerfSource.PER_THREAD), kind(PtraceSource.BUSY_THREADS));

    /** The bytes of a thread for which one allocation is sampled. async-profiler's default is the same. */
    private static final int INTERVAL = 512 << 10;
    /** Upper bound on the bytes of one sample; a larger number is not believed. */
    private static final long MAX_BYTES = 1L << 40;
    /** Upper bound on the classes that have a frame of their own. */
    private static final int MAX_TYPES = 10_000;
    /** Upper bound on the length of a name, in chars. */
    private static final int MAX_TEXT = 200;

    private static final String UNREAD = "[new: class not read]";
    private static final String OTHER = "[new: another class]";

    private final InspectedProcess target;
    private final CallCollector collector;
    private final Set<RuntimeId> probed;
    private final StackSnapshot.Words stack;
    private @Nullable CaptureWriteException failure;
    private boolean replaced;
    private long implausible;

    private ProbedAllocations(InspectedProcess target, CallCollector collector, Collection<Probed> probed) {
        this.target = target;
        this.collector = collector;
        this.probed = probed.stream().map(Probed::runtime).collect(Collectors.toSet());
        this.stack = collector::stack;
    }

    private static SourceKind kind(SourceKind like) {
        return new SourceKind(
                like.collector(),
                Set.of(Need.MEMORY, Need.PERF_PER_THREAD, Need.UPROBES),
                COST,
                LIMITS,
                (request, row) -> open(request));
    }

    private static EventSource open(SourceRequest request) throws Refused, IOException {
        if (request.spawned()) {
            throw new Refused(
                    Reason.UNSUPPORTED,
                    "the JVM does not run yet, and its functions are not known",
                    "record the running process: mayfly record -e alloc-class PID. mayfly run can record alloc.");
        }
        requirePermission();
        InspectedProcess target = request.target();
        try (Owned owned = new Owned()) {
            Map<Long, Probed> probed = new HashMap<>();
            List<Uprobe> probes = new ArrayList<>();
            for (ManagedRuntime each : target.runtimes()) {
                AllocationCalls calls = each.allocationCalls().orElse(null);
                if (calls == null) {
                    continue; // account() names it
                }
                for (long function : calls.functions()) {
                    Place place = place(target.process(), function);
                    probed.put(place.address, new Probed(each.id(), calls));
                    Fd file = owned.add(target.process().openMapped(place.mapping));
                    probes.add(new Uprobe(file, place.mapping, place.address));
                }
            }
            if (probes.isEmpty()) {
                throw new Refused(
                        Reason.UNSUPPORTED_VM,
                        "the functions of the JVM for allocation are not known: its libjvm has no symbols",
                        "the libjvm of most distributions has them. Without them: mayfly record -e alloc");
            }
            EventSource samples =
                    owned.add(new ProbedAllocations(target, collector(target.process(), probes), probed.values()));
            return owned.release(new AllocationSource(
                    target, samples, new ByCall(probed), false, ManagedRuntime::allocationCounters));
        }
    }

    private static CallCollector collector(LiveProcess process, List<Uprobe> probes) throws Refused {
        try {
            return CallCollector.open(process, probes, AllocationCalls.BYTES, INTERVAL);
        } catch (PerfUnavailable e) {
            throw Refusals.of(e);
        }
    }

    private static void requirePermission() throws Refused {
        Probe permission = Probe.uprobes();
        if (permission.works()) {
            return;
        }
        if (permission.errno().equals(Errno.name(Errno.ENOENT))) {
            throw new Refused(
                    Reason.UNSUPPORTED_KERNEL,
                    "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)",
                    "record without classes: mayfly record -e alloc");
        }
        throw new Refused(
                Reason.NOT_PERMITTED,
                "breakpoints by perf events and BPF are not permitted to this user (" + permission.errno() + ")",
                "run Mayfly as root, or with CAP_SYS_ADMIN. Without: mayfly record -e alloc");
    }

    /** The place of a breakpoint. */
    private record Place(Mapping mapping, long address) {}

    /** Finds the place in a function. Its code in memory must be that of the file, which the kernel restores. */
    private static Place place(LiveProcess process, long function) throws Refused, IOException {
        Mapping mapping = process.mappings().stream()
                .filter(each -> each.contains(function) && each.executable() && each.isFile())
                .findFirst()
                .orElseThrow(() -> noPlace("no file is mapped at the function 0x" + Long.toHexString(function)));
        MemorySegment file = process.file(mapping);
        byte[] entry = new byte[InstructionSet.PROBE_BYTES];
        long at = mapping.inFile(function);
        if (at < 0 || at + entry.length > file.byteSize()) {
            throw noPlace("the function is beyond the end of " + mapping.path());
        }
        MemorySegment.copy(file, ValueLayout.JAVA_BYTE, at, entry, 0, entry.length);
        byte[] now = new byte[entry.length];
        try {
            process.memory().read(function, now, 0, now.length);
        } catch (MemoryFault e) {
            throw noPlace("the function cannot be read");
        }
        if (!Arrays.equals(entry, now)) {
            throw noPlace("the function in memory is not that of the file; another tool may have a breakpoint there");
        }
        int offset = process.architecture().instructions().probeOffset(entry);
        if (offset == Architecture.NONE) {
            throw noPlace(
                    "the kernel would have to execute the first instruction of the function elsewhere, and leave a"
                            + " page for it in the process");
        }
        return new Place(mapping, function + offset);
    }

    private static Refused noPlace(String why) {
        return new Refused(
                Reason.UNSUPPORTED_VM,
                "no breakpoint is placed: " + why,
                "record without classes: mayfly record -e alloc");
    }

    @Override
    public void enable() throws IOException {
        collector.enable();
    }

    @Override
    public boolean await(int timeoutMillis) {
        return collector.await(timeoutMillis) != PerfCollector.Wait.TARGET_GONE;
    }

    @Override
    public boolean isDue() {
        return collector.isDue();
    }

    @Override
    public void begin() {
        collector.begin();
    }

    @Override
    public void drain(SampleSink sink) throws IOException {
        replaced |= target.isReplaced();
        collector.drain((tid, time, registers, weight, words) -> take(tid, time, registers, weight, words, sink));
        if (failure != null) {
            throw failure;
        }
    }

    private void take(int tid, long time, Registers registers, long weight, int words, SampleSink sink) {
        if (failure != null || replaced) {
            return; // calls of another program, whose library may be at the same address
        }
        if (weight <= 0 || weight > MAX_BYTES) {
            implausible++;
            return;
        }
        try {
            sink.begin();
            WalkOutcome outcome = sink.walk(tid, time, registers, stack, words).outcome();
            sink.write(tid, time, weight, outcome);
        } catch (CaptureWriteException e) {
            failure = e;
        }
    }

    @Override
    public void disable() {
        collector.disable();
    }

    @Override
    public long lost() {
        return collector.lost();
    }

    @Override
    public boolean isReplaced() {
        return replaced;
    }

    @Override
    public void discard() {
        collector.skip();
        replaced = target.isReplaced();
    }

    @Override
    public String description() {
        return "uprobes";
    }

    @Override
    public void account(Ledger.Builder ledger) {
        ledger.addLost(collector.lost());
        if (collector.lost() > 0) {
            ledger.note("allocations were faster than they could be recorded: at least " + collector.lost()
                    + " are missing; their bytes belong to the others of their threads");
        }
        if (implausible > 0) {
            ledger.alarm(implausible + " allocations had implausible sizes and were dropped");
        }
        int copies = collector.copies();
        if (copies > 0) {
            ledger.note("pages of the JVM's code of which the process still has a copy: " + copies);
        }
        if (collector.hasUnreadPages()) {
            ledger.alarm("it is not known whether copies of pages of the JVM's code are left: they could not be read");
        }
        for (ManagedRuntime runtime : target.runtimes()) {
            if (!probed.contains(runtime.id())) {
                ledger.alarm("the allocations of " + runtime.line()
                        + " have no classes and no code: it was not there at the start, or its library has no symbols");
            }
        }
        if (hasFirstThreadEnded()) {
            ledger.alarm("the first thread of the process has ended, and with it the recording of allocations");
        }
    }

    private boolean hasFirstThreadEnded() {
        try {
            TargetThread first = target.process().thread(target.process().pid());
            return first != null && first.state() == 'Z' && target.isAlive();
        } catch (IOException e) {
            return false; // the process has ended
        }
    }

    @Override
    public void close() {
        collector.close();
    }

    /** A runtime whose function has a breakpoint. */
    private record Probed(RuntimeId runtime, AllocationCalls calls) {}

    /** Divides the bytes of a thread among the calls with which it obtained memory, by the memory obtained. */
    private static final class ByCall implements AllocationSource.Division {
        private final Map<Long, Probed> probed;
        /** The names of classes that frames have. */
        private final Set<String> types = new HashSet<>();

        private @Nullable RuntimeId runtime;
        private long unread;
        private long implausible;

        ByCall(Map<Long, Probed> probed) {
            this.probed = Map.copyOf(probed);
        }

        @Override
        public boolean takes(boolean mayAllocate, Registers registers, SampleSink into) {
            Probed at = probed.get(registers.pc());
            Allocation allocation = at == null ? null : at.calls.at(registers);
            if (at == null || allocation == null || allocation.bytes() == 0) {
                implausible++;
                return false;
            }
            runtime = at.runtime;
            into.accept(frame(at.runtime, allocation.type()));
            return true;
        }

        private Frame frame(RuntimeId of, String type) {
            if (type.isEmpty()) {
                unread++;
                return new Frame.Stub(of, UNREAD);
            }
            String text = type.length() <= MAX_TEXT ? type : type.substring(0, MAX_TEXT) + "…";
            String name = "[new " + text + "]";
            if (types.size() >= MAX_TYPES && !types.contains(name)) {
                return new Frame.Stub(of, OTHER);
            }
            types.add(name);
            return new Frame.Stub(of, name);
        }

        @Override
        public long obtained(long value) {
            return value;
        }

        @Override
        public boolean isOf(RuntimeId of, boolean mayAllocate) {
            return of.equals(runtime);
        }

        @Override
        public String description() {
            return "classes and code, at each refill of a thread's buffer";
        }

        @Override
        public void account(Ledger.Builder ledger) {
            ledger.note("breakpoints while recording: " + probed.size()
                    + " in the code of libjvm; `mayfly audit` shows them and whether any page of code is still"
                    + " changed");
            if (unread > 0) {
                ledger.note("allocations whose class could not be read: " + unread);
            }
            if (implausible > 0) {
                ledger.alarm(implausible + " samples of allocations had implausible arguments and were dropped");
            }
        }
    }
}
