package mayfly.record.event;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.discovery.RuntimeThreads;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.record.allocation.ThreadAllocations;
import mayfly.record.allocation.ThreadAllocations.Share;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.AllocationCounters;
import mayfly.unwind.StackSnapshot;

/**
 * The bytes that managed threads allocate. The runtime counts them for each thread; the counters are read up to a
 * thousand times a second, and the bytes of a thread are divided among its samples: of CPU time, or of allocations.
 */
final class AllocationSource implements EventSource {
    /** Declared before the kinds, whose initialisers use it. */
    private static final List<String> LIMITS =
            List.of("a stack shows the code that the thread ran when its bytes were counted, not the allocation itself;"
                    + " the classes of the objects are not known");

    static final SourceKind SYSTEM_WIDE = sampledBy(PerfSource.SYSTEM_WIDE);
    static final SourceKind PER_THREAD = sampledBy(PerfSource.PER_THREAD);
    static final SourceKind PTRACE = sampledBy(PtraceSource.BUSY_THREADS);

    /** The method by which the bytes of a thread are divided among its samples. */
    interface Division {
        /** The samples are of times: the bytes of a time belong to the code that runs then. */
        Division BY_TIME = new Division() {
            @Override
            public boolean takes(boolean mayAllocate, Registers registers, SampleSink into) {
                return mayAllocate;
            }

            @Override
            public long obtained(long value) {
                return 0;
            }

            @Override
            public boolean isOf(RuntimeId runtime, boolean mayAllocate) {
                return mayAllocate;
            }

            @Override
            public String description() {
                return "code";
            }

            @Override
            public void account(Ledger.Builder ledger) {}
        };

        /**
         * Returns true if a sample is among those of its thread. May add frames, leaf first.
         *
         * @param mayAllocate false if it is known that the thread allocates nothing at the time of the sample
         * @param registers those of the sample
         */
        boolean takes(boolean mayAllocate, Registers registers, SampleSink into);

        /**
         * Returns the bytes that the thread has obtained for the last sample that was taken; 0 for a sample of a time.
         *
         * @param value the value of the sample
         */
        long obtained(long value);

        /**
         * Returns true if the last sample that was taken is among those of a runtime's thread.
         *
         * @param mayAllocate as in {@link #takes}, for this runtime
         */
        boolean isOf(RuntimeId runtime, boolean mayAllocate);

        /** Returns a noun for what the samples show. */
        String description();

        /** Adds notes about its samples to a ledger. */
        void account(Ledger.Builder ledger);
    }

    private static final int READING_MILLIS = 1;
    /** A wait that ends earlier has ended because samples must be drained. */
    private static final long FULL_WAIT_NANOS = 500_000;
    /** A reading is followed by this many times its duration without one: readings need at most 5 % of a CPU. */
    private static final int REST = 20;
    /**
     * The duration of a reading is the shortest one of this many. On a busy machine, a reading also contains times in
     * which Mayfly has no CPU.
     */
    private static final int DURATIONS = 16;
    /** The time between two divisions of the bytes: a thread has many samples then, even at a low rate. */
    private static final long DIVISION_NANOS = 1_000_000_000;
    /** Upper bound on the remembered ids of threads in another pid namespace. */
    private static final int MAX_IDS = 1 << 16;

    private static final String NOT_SAMPLED = "[not sampled]";

    private final InspectedProcess target;
    private final EventSource samples;
    private final Division division;
    private final boolean spawned;
    private final Function<ManagedRuntime, Optional<AllocationCounters>> counters;
    private final RuntimeThreads threads;
    private final Map<RuntimeId, Counted> counted = new LinkedHashMap<>();
    /** The ids of sampled threads in the target's own pid namespace, and the reverse. */
    private final Map<Integer, Integer> inner = new HashMap<>();

    private final Map<Integer, Integer> outer = new HashMap<>();
    private int knownRuntimes;
    private boolean sampling;
    private long begun;
    private long lastReading;
    private long nextReading;
    private long nextDivision;
    private long readings;
    private final long[] durations = new long[DURATIONS];
    private long bytesWithoutSample;
    private long failedReadings;
    /** Failed readings since the last success: the last ones of a process that ends are no loss. */
    private long latestFailures;

    /** A runtime whose threads are counted. */
    private record Counted(AllocationCounters counters, ThreadAllocations allocations) {}

    /**
     * Creates a source.
     *
     * @param samples the samples among which the bytes are divided
     * @param spawned true if the target's runtimes are started during the recording
     * @param counters returns those of a runtime, empty if they cannot be read
     */
    AllocationSource(
            InspectedProcess target,
            EventSource samples,
            Division division,
            boolean spawned,
            Function<ManagedRuntime, Optional<AllocationCounters>> counters)
            throws IOException {
        this.target = target;
        this.samples = samples;
        this.division = division;
        this.spawned = spawned;
        this.counters = counters;
        this.threads = new RuntimeThreads(target);
    }

    private static SourceKind sampledBy(SourceKind kind) {
        return new SourceKind(
                kind.collector(), kind.needs(), kind.cost(), LIMITS, (request, row) -> open(request, kind));
    }

    private static EventSource open(SourceRequest request, SourceKind samples) throws Refused, IOException {
        EventSource opened = samples.open(request);
        try {
            return new AllocationSource(
                    request.target(), opened, Division.BY_TIME, request.spawned(), ManagedRuntime::allocationCounters);
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    @Override
    public void requireSupport() throws Refused {
        if (target.runtimes().stream().map(counters).allMatch(Optional::isEmpty)) {
            throw new Refused(
                    Reason.UNSUPPORTED_VM,
                    "the JVM does not describe the counters of its threads' allocation",
                    "the JVMs of JDK 11 to 26 describe them. Another way is the JVM's own recorder: jcmd PID"
                            + " JFR.start");
        }
    }

    @Override
    public void enable() throws IOException {
        sampling = true;
        begun = System.nanoTime();
        nextDivision = begun + DIVISION_NANOS;
        read();
        samples.enable();
    }

    @Override
    public boolean await(int timeoutMillis) {
        long deadline = System.nanoTime() + timeoutMillis * 1_000_000L;
        while (true) {
            long before = System.nanoTime();
            boolean goesOn = samples.await(Math.min(READING_MILLIS, timeoutMillis));
            readIfDue();
            long now = System.nanoTime();
            if (!goesOn || now - before < FULL_WAIT_NANOS || now - deadline >= 0 || isDue()) {
                return goesOn;
            }
        }
    }

    @Override
    public int intervalMillis() {
        return READING_MILLIS;
    }

    @Override
    public boolean isDue() {
        return samples.isDue();
    }

    private void readIfDue() {
        if (sampling && System.nanoTime() - nextReading >= 0) {
            read();
        }
    }

    /** Reads the counters of all threads of each runtime. */
    private void read() {
        findRuntimes();
        long before = System.nanoTime();
        for (Counted each : counted.values()) {
            try {
                each.counters.read(each.allocations);
                each.allocations.apply(before);
                failedReadings += latestFailures;
                latestFailures = 0;
            } catch (MemoryFault e) {
                latestFailures++; // the list was replaced too often, or the process is ending
                each.allocations.abandon();
            }
        }
        lastReading = System.nanoTime();
        if (!counted.isEmpty()) {
            durations[(int) (readings % DURATIONS)] = lastReading - before;
            readings++;
        }
        nextReading = Math.max(before + READING_MILLIS * 1_000_000L, lastReading + REST * shortestDuration());
    }

    private void findRuntimes() {
        if (knownRuntimes == target.runtimes().size()) {
            return;
        }
        knownRuntimes = target.runtimes().size();
        boolean isStarted = spawned || !counted.isEmpty();
        for (ManagedRuntime runtime : target.runtimes()) {
            counters.apply(runtime)
                    .ifPresent(its -> counted.computeIfAbsent(
                            runtime.id(), id -> new Counted(its, new ThreadAllocations(begun, isStarted))));
        }
    }

    private long shortestDuration() {
        return Arrays.stream(durations).limit(readings).min().orElse(0);
    }

    @Override
    public void begin() {
        samples.begin();
    }

    @Override
    public void drain(SampleSink sink) throws IOException {
        samples.drain(new Candidates(sink));
        long now = System.nanoTime();
        if (sampling && now - nextDivision < 0) {
            return;
        }
        nextDivision = now + DIVISION_NANOS;
        for (Map.Entry<RuntimeId, Counted> each : counted.entrySet()) {
            ThreadAllocations allocations = each.getValue().allocations;
            for (Share share : sampling ? allocations.divide() : allocations.finish()) {
                write(each.getKey(), share, sink);
            }
        }
    }

    private void write(RuntimeId runtime, Share share, SampleSink sink) throws CaptureWriteException {
        if (share.isSampled()) {
            sink.write(share.tid(), share.time(), new long[] {share.bytes()}, share.outcome(), share.stack());
            return;
        }
        bytesWithoutSample += share.bytes();
        sink.begin();
        sink.accept(new Frame.Stub(runtime, NOT_SAMPLED));
        int first = target.process().pid();
        int tid = threads.areIdsInner() ? outer.getOrDefault(share.tid(), first) : share.tid();
        sink.write(tid, share.time(), share.bytes(), share.outcome());
    }

    /** Returns the id of a thread in the target's own pid namespace. */
    private int inner(int tid) {
        if (!threads.areIdsInner()) {
            return tid;
        }
        if (inner.size() >= MAX_IDS) {
            inner.clear();
            outer.clear();
        }
        return inner.computeIfAbsent(tid, id -> {
            int its = threads.innerTid(id);
            outer.put(its, id);
            return its;
        });
    }

    @Override
    public long holdsNanos() {
        return samples.holdsNanos();
    }

    @Override
    public boolean hasRoom() {
        return samples.hasRoom();
    }

    @Override
    public void disable() {
        read();
        read(); // the second reading confirms the first
        sampling = false;
        samples.disable();
    }

    @Override
    public long lost() {
        return samples.lost();
    }

    @Override
    public boolean isReplaced() {
        return samples.isReplaced();
    }

    @Override
    public void discard() {
        counted.clear();
        knownRuntimes = 0;
        samples.discard();
    }

    @Override
    public String description() {
        return "the JVM's counters of each thread's allocation; " + division.description() + ": "
                + samples.description();
    }

    @Override
    public boolean hasKernelFrames() {
        return samples.hasKernelFrames();
    }

    @Override
    public void account(Ledger.Builder ledger) {
        samples.account(ledger);
        division.account(ledger);
        long all = sum(ThreadAllocations::bytes);
        long uncounted = sum(ThreadAllocations::uncounted);
        long implausible = sum(ThreadAllocations::implausible);
        if (readings > 1) {
            ledger.note(String.format(
                    Locale.ROOT,
                    "allocated: %d bytes; without a later sample of the thread: %d bytes (%.2f %%)",
                    all,
                    bytesWithoutSample,
                    percent(bytesWithoutSample, all)));
            ledger.note(String.format(
                    Locale.ROOT,
                    "counters of allocation were read every %.1f ms; readings more than 5 ms apart: %.1f %% of the"
                            + " bytes, whose stacks are less certain",
                    (lastReading - begun) / 1e6 / (readings - 1),
                    percent(sum(ThreadAllocations::imprecise), all)));
        }
        if (uncounted > 0) {
            ledger.note(String.format(
                    Locale.ROOT,
                    "obtained by threads that ended before their counters were read, and included with the unused part"
                            + " of their buffers: %d bytes (%.2f %%)",
                    uncounted,
                    percent(uncounted, all)));
        }
        if (failedReadings > 0) {
            ledger.note("readings of the counters of allocation that failed, and left their bytes to the next: "
                    + failedReadings);
        }
        long dropped = sum(ThreadAllocations::dropped);
        if (dropped > 0) {
            ledger.alarm(dropped + " samples of allocation were dropped: a thread had too many");
        }
        if (implausible > 0) {
            ledger.alarm(implausible + " values of counters of allocation were implausible and ignored");
        }
        for (ManagedRuntime runtime : target.runtimes()) {
            if (!counted.containsKey(runtime.id())) {
                ledger.alarm("the allocation of " + runtime.line() + " is missing: it does not describe its counters");
            }
        }
    }

    private long sum(ToLongFunction<ThreadAllocations> figure) {
        return counted.values().stream()
                .mapToLong(each -> figure.applyAsLong(each.allocations))
                .sum();
    }

    private static double percent(long part, long all) {
        return all == 0 ? 0 : 100.0 * part / all;
    }

    @Override
    public void close() {
        samples.close();
    }

    /** Keeps the samples of threads that may have allocated at their times. */
    private final class Candidates extends ForwardingSink {
        private boolean walked;

        Candidates(SampleSink sink) {
            super(sink);
        }

        @Override
        public void begin() {
            readIfDue();
            walked = false;
            super.begin();
        }

        @Override
        public Walk walk(int tid, long time, Registers registers, StackSnapshot.Words words, int count) {
            walked = division.takes(mayAllocate(inner(tid), time), registers, this);
            return walked ? super.walk(tid, time, registers, words, count) : Walk.NOT_WALKED;
        }

        private boolean mayAllocate(int tid, long time) {
            return counted.values().stream().anyMatch(each -> each.allocations.mayAllocate(tid, time));
        }

        @Override
        public void write(int tid, long time, long value, WalkOutcome outcome) throws CaptureWriteException {
            if (!walked) {
                return;
            }
            int its = inner(tid);
            int stack = keep();
            long obtained = division.obtained(value);
            counted.forEach((runtime, each) -> {
                if (division.isOf(runtime, each.allocations.mayAllocate(its, time))) {
                    each.allocations.sample(its, tid, time, stack, outcome, obtained);
                }
            });
        }

        @Override
        public void born(int parent, int tid, long time) {
            inner.remove(tid);
            super.born(parent, tid, time);
        }
    }
}
