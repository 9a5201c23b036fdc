package mayfly.record;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import mayfly.discovery.CommandLine;
import mayfly.discovery.Refused;
import mayfly.discovery.SpawnedProcess;
import mayfly.linux.sys.ThreadPriority;
import mayfly.profile.Ledger;
import mayfly.profile.capture.CaptureWriter;
import mayfly.record.event.ChosenSource;
import mayfly.record.event.EventSources;
import mayfly.record.event.RecordingEvent;
import mayfly.runtime.ManagedRuntime;

/**
 * A recording of one target, from open to close. All calls except {@link #stop} must come from the thread that opened
 * it.
 */
public final class RecordingSession implements AutoCloseable {
    /** The time after a stack exceeded the copied and saved parts during which drains are urgent. */
    private static final long URGENT_NANOS = 500_000_000L;

    private static final int LAST_SAMPLE_MILLIS = 12;
    /**
     * Nice value of the recording thread, which sleeps between drains: when it wakes, it should not wait behind the
     * target's threads.
     */
    private static final int PRIORITY = -15;

    private static final long TICK_NANOS = 250_000_000L;
    /**
     * Interval of checks for another program. A check costs some 100 us in the kernel, and the events usually report
     * an execve.
     */
    private static final long LOOK_NANOS = 1_000_000_000L;

    /** The state of a session. */
    private enum State {
        /** The target and the events are open, the capture has its header. Samples of an early start wait. */
        READY,
        /** Events are enabled and samples arrive. */
        SAMPLING,
        /** Events are disabled; the last samples are being read. */
        DRAINING,
        /** The capture is complete and closed; the target is still open. */
        FINISHED,
        /** All resources are released. Terminal. */
        CLOSED
    }

    /** The reason why no more samples are taken. */
    private enum End {
        /** The duration is over, or {@link #stop} was called. */
        REQUESTED,
        /** The target has ended. */
        TARGET_ENDED,
        /** The target has become another program by execve(2). */
        REPLACED
    }

    private final RecordingSetup parts;
    private final RecordingClock clock;
    private final RecordedTarget target;
    private final EventSources sources;
    private final CaptureWriter writer;
    private final ThreadNames threads;
    /** Those of the events, in their order. */
    private final List<Recorder> recorders;

    private final FrameSymbols symbols;
    private final CpuAccount cpu;
    private final HeapGrowth heap = new HeapGrowth();
    private final CodeChanges changes;
    private final RuntimeSearch search;
    private final DrainPolicy.Situation situation = new Present();
    private final Interval ticks = new Interval(TICK_NANOS);
    private final Interval looks = new Interval(LOOK_NANOS);
    private State state = State.READY;
    private End end = End.REQUESTED;
    private volatile boolean stopped;
    private long startNanos;
    private long endNanos;
    private List<Ledger> ledgers = List.of();

    RecordingSession(RecordingSetup parts) {
        this.parts = parts;
        this.clock = parts.clock();
        this.target = parts.target();
        this.sources = parts.start().sources();
        this.writer = parts.shared().writer();
        this.threads = parts.shared().threads();
        this.recorders = parts.recorders();
        this.symbols = parts.symbols();
        this.cpu = parts.start().cpu();
        this.changes = new CodeChanges(clock.nanos());
        this.search = new RuntimeSearch(target, clock.nanos());
    }

    /**
     * Prepares a recording of a running process. Sampling may have started when this method returns, and the samples
     * wait for {@link #run}, which must be called at once.
     *
     * @param captureFile a file that does not exist yet, or is empty
     * @throws Refused if there is no such target, recording it is not permitted, or the file cannot be written
     */
    public static RecordingSession open(int pid, RecordingOptions options, Path captureFile) throws Refused {
        return new RecordingSession(RecordingSetup.ofRunning(pid, options, captureFile));
    }

    /**
     * Prepares a recording that begins with the target's first instruction. The target is resumed by {@link #run}.
     *
     * @throws Refused if recording is not permitted, or the file cannot be written
     */
    public static RecordingSession openOnExec(SpawnedProcess target, RecordingOptions options, Path captureFile)
            throws Refused {
        return new RecordingSession(RecordingSetup.ofSpawned(target, options, captureFile));
    }

    /**
     * Records until the duration is over, {@link #stop} is called or the target ends.
     *
     * @throws IOException if writing the capture fails; the part written before remains readable
     */
    public void run(Progress progress) throws IOException {
        int usualPriority = ThreadPriority.nice();
        while (state != State.FINISHED && state != State.CLOSED) {
            switch (state) {
                case READY -> {
                    ThreadPriority.nice(PRIORITY); // otherwise samples are older when they are walked
                    begin();
                    state = State.SAMPLING;
                }
                case SAMPLING -> state = sample(progress) ? State.SAMPLING : State.DRAINING;
                case DRAINING -> {
                    // The kernel records a loss with the next sample for which the ring has room, so make room and wait
                    // for that sample.
                    drain(clock.nanos());
                    sources.attendFor(LAST_SAMPLE_MILLIS);
                    sources.disable();
                    endNanos = clock.nanos();
                    cpu.end();
                    drain(endNanos);
                    threads.nameByRuntime(endNanos, end != End.REPLACED);
                    ThreadPriority.nice(usualPriority);
                    finish();
                    state = State.FINISHED;
                }
                case FINISHED, CLOSED -> throw new IllegalStateException();
            }
        }
    }

    private void begin() throws IOException {
        if (parts.start().isEarly()) {
            startNanos = parts.start().nanos();
            if (target.isReplaced()) {
                sources.discard(); // the program that was sampled can no longer be read
            }
            return;
        }
        startNanos = clock.nanos();
        cpu.start();
        if (!target.isSpawned()) {
            enable();
            return;
        }
        IOException[] failed = new IOException[1];
        target.start(() -> {
            try {
                sources.enable();
                sources.discard();
            } catch (IOException e) {
                failed[0] = e;
            }
        });
        if (failed[0] != null) {
            throw failed[0];
        }
    }

    /** Starts sampling. A target that has ended since it was opened has a recording without samples. */
    private void enable() throws IOException {
        try {
            sources.enable();
        } catch (IOException e) {
            if (!target.isEnded()) {
                throw e;
            }
        }
    }

    /** Waits and drains once. Returns false if the recording should end. */
    private boolean sample(Progress progress) throws IOException {
        long duration = parts.options().duration().toNanos();
        long left = duration == 0 ? Long.MAX_VALUE : startNanos + duration - clock.nanos();
        if (stopped || left <= 0) {
            return false;
        }
        DrainPolicy policy = DrainPolicy.of(situation);
        boolean goesOn = sources.await(policy.waitMillis(left));
        long now = clock.nanos();
        drain(now, goesOn);
        symbols.turn(policy.isFrequent(), now);
        symbols.makeRoom(parts.shared().kernel());
        if (ticks.isDue(now)) {
            cpu.sampleWhileAlive();
            progress.tick(samples(), now - startNanos, sources.lost());
            writer.flush();
            heap.look();
        }
        boolean isReplaced = looks.isDue(now) && target.isReplaced();
        if (isReplaced || sources.isReplaced()) {
            end = End.REPLACED;
        } else if (!goesOn) {
            end = End.TARGET_ENDED;
        }
        return end == End.REQUESTED;
    }

    /** The situation when its methods are called. */
    private final class Present implements DrainPolicy.Situation {
        @Override
        public boolean isBeyondCopies() {
            long now = clock.nanos();
            return recorders.stream().anyMatch(recorder -> now - recorder.lastBeyond() < URGENT_NANOS);
        }

        @Override
        public boolean isStarting() {
            return search.isStarting(clock.nanos());
        }

        @Override
        public boolean isChanging() {
            return target.runtimes().isEmpty() || changes.areMany(target.supersededCode(), stale(), clock.nanos());
        }

        @Override
        public boolean isUnheld() {
            return target.isSpawned() && !target.isHeld();
        }
    }

    /** An activity that is due at an interval, and at its first check. */
    private static final class Interval {
        private final long nanos;
        private long last;

        Interval(long nanos) {
            this.nanos = nanos;
        }

        /** Returns true if the activity is due; the interval then begins again. */
        boolean isDue(long now) {
            if (now - last < nanos) {
                return false;
            }
            last = now;
            return true;
        }
    }

    private long samples() {
        return recorders.stream().mapToLong(Recorder::samples).sum();
    }

    private long stale() {
        return recorders.stream().mapToLong(Recorder::stale).sum();
    }

    private void drain(long now) throws IOException {
        drain(now, true);
    }

    private void drain(long now, boolean goesOn) throws IOException {
        sources.begin(); // anything read from the target after this is newer than these samples
        if (target.isSpawned()) {
            target.followExec(); // must come first, because a program may be short
        }
        target.newEpoch(now);
        findRuntimes(now);
        if (goesOn && state == State.SAMPLING && mayWait(now)) {
            rest(DrainPolicy.STARTING.millis());
            return;
        }
        sources.drain(recorders);
        target.drained();
        if (!target.runtimes().isEmpty() && !sources.isReplaced()) {
            threads.nameByRuntime(now, search.isStarting(clock.nanos()));
        }
    }

    /** Lets some time pass. A full ring would end each wait at once. */
    private void rest(int millis) {
        if (sources.needAttention()) {
            sources.attendFor(millis);
        } else {
            clock.pause(millis * 1_000_000L);
        }
    }

    private void findRuntimes(long now) throws IOException {
        boolean isFirst = target.runtimes().isEmpty();
        List<ManagedRuntime> found = search.look(now);
        if (found.isEmpty()) {
            return;
        }
        for (ManagedRuntime runtime : found) {
            writer.runtime(RecordingSetup.recorded(runtime));
        }
        if (isFirst) {
            // A started program, such as a script or a launcher, may execute another by execve(2).
            CommandLine commandLine = target.commandLine();
            writer.program(commandLine.text(), commandLine.mainClass());
        }
        target.newEpoch(clock.nanos()); // opening the runtime took some time
    }

    /** Returns true if samples should wait because a VM is starting: its code can be walked once it has started. */
    private boolean mayWait(long now) {
        return target.isSpawned() && target.runtimes().isEmpty() && sources.hasRoom() && search.mayWait(now);
    }

    private void finish() throws IOException {
        symbols.finish(parts.shared().kernel());
        for (ManagedRuntime runtime : target.runtimes()) {
            recorders.getFirst().ledger().addSupersededFrames(runtime.supersededFrames());
        }
        var finished = new ArrayList<Ledger>();
        for (int i = 0; i < recorders.size(); i++) {
            finished.add(finished(recorders.get(i), sources.chosen().get(i)));
        }
        ledgers = List.copyOf(finished);
        writer.ledgers(ledgers);
        writer.close();
    }

    private Ledger finished(Recorder recorder, ChosenSource source) {
        boolean isCpu = recorder.event().sum() == RecordingEvent.Sum.CPU_TIME;
        Ledger.Builder builder =
                recorder.ledger().durationNanos(endNanos - startNanos).procCpuNanos(isCpu ? cpu.nanos() : -1);
        source.source().account(builder);
        builder.addInferredLeaves(recorder.inferredLeaves());
        Alarms.add(builder, target.runtimes(), samples());
        if (target.runtimes().isEmpty()) {
            noteNoRuntime(builder);
        }
        switch (end) {
            case REQUESTED -> {}
            case TARGET_ENDED -> builder.note("the recording ended with the target");
            case REPLACED -> builder.note("the recording ended when the target became another program by execve(2)");
        }
        return builder.build();
    }

    private void noteNoRuntime(Ledger.Builder builder) {
        if (end != End.TARGET_ENDED) {
            return;
        }
        if (search.sawLibrary() && target.isStarting()) {
            builder.note("a JVM was starting in the process, and could not be read before the process ended");
        } else if (!search.sawLibrary() && target.isSpawned()) {
            builder.note("the program ran no JVM itself; a JVM that it starts as another process is not recorded:"
                    + " a script must start the JVM with exec");
        }
    }

    /** Returns the runtimes of the process that were found so far. */
    public List<ManagedRuntime> runtimes() {
        return target.runtimes();
    }

    /** Makes {@link #run} end soon. May be called from any thread, at any time, repeatedly. */
    public void stop() {
        stopped = true;
    }

    /**
     * Returns the accounts of the samples of each event, in the order of the options. Valid after {@link #run}.
     *
     * @throws IllegalStateException if the recording has not been run
     */
    public List<Ledger> ledgers() {
        if (ledgers.isEmpty()) {
            throw new IllegalStateException("the recording has not been run");
        }
        return ledgers;
    }

    /**
     * Returns the account of the samples of the first event, which is usually the only one.
     *
     * @throws IllegalStateException if the recording has not been run
     */
    public Ledger ledger() {
        return ledgers().getFirst();
    }

    /** Returns a one-line description of the recording. */
    public String describe() {
        return parts.describe();
    }

    @Override
    public void close() {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        sources.close();
        try {
            writer.close();
        } catch (IOException e) {
            // run() has reported the failed write; the caller removes an incomplete capture.
            stopped = true;
        }
        target.close();
    }
}
