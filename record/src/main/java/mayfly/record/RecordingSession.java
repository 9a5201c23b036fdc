package mayfly.record;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import mayfly.discovery.CommandLine;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refused;
import mayfly.discovery.SpawnedProcess;
import mayfly.linux.sys.ThreadPriority;
import mayfly.profile.Ledger;
import mayfly.profile.capture.CaptureWriter;
import mayfly.record.event.EventSource;
import mayfly.record.event.RecordingEvent;
import mayfly.runtime.ManagedRuntime;
import org.jspecify.annotations.Nullable;

/**
 * A recording of one target, from open to close. All calls except {@link #stop} must come from the thread that opened
 * it.
 */
public final class RecordingSession implements AutoCloseable {
    /**
     * Drain interval while the target's code is stable, unless a ring is nearly full. The data needed for a drain is
     * evicted from the CPU's caches between drains, so a few large drains are cheaper than many small ones.
     */
    private static final int DRAIN_MILLIS = 200;
    /** Drain interval while code is freed and replaced: code seen by a sample should still be in place for the walk. */
    private static final int CHANGING_MILLIS = 20;
    /** Drain interval while a program started by this session is starting and maps libraries. */
    private static final int STARTING_MILLIS = 5;
    private static final long STARTING_NANOS = 1_000_000_000L;
    /** Drain interval while stacks exceed the copied and saved parts: the rest must be read before it changes. */
    private static final int URGENT_MILLIS = 1;
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
        /** The target is open, the events are open and disabled, the capture has its header. */
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

    /** Upper bound on the drain interval if the memory of a started program is not held after its end. */
    private static final int UNHELD_MILLIS = 20;
    /** Upper bound on how long samples may wait for a starting VM: they can be walked once it has started. */
    private static final long STARTING_LIMIT_NANOS = 60_000_000_000L;
    /** The same bound while nothing indicates that a VM is starting in the library. */
    private static final long UNSTARTED_NANOS = 5_000_000_000L;

    /** Interval of checks of a library that may contain another starting VM. */
    private static final long RUNTIME_LOOK_NANOS = 200_000_000L;
    private static final long MAX_RUNTIME_LOOK_NANOS = 1_000_000_000L;

    private final RecordingSetup parts;
    /** The target, if this session starts it. */
    private final @Nullable SpawnedProcess spawned;
    private final InspectedProcess target;
    private final EventSource source;
    private final CaptureWriter writer;
    private final Recorder recorder;
    private final FrameSymbols symbols;
    private final long durationNanos;
    private final CpuAccount cpu;
    private final HeapGrowth heap = new HeapGrowth();
    private State state = State.READY;
    private volatile boolean stopped;
    private long startNanos;
    private long endNanos;
    private long lastTick;
    private long lastLook;
    private long libraryUnknownSince;
    /** True if the process had mapped a libjvm that was not read. */
    private boolean sawLibrary;
    private long firstRuntimeLook = System.nanoTime();
    private long nextRuntimeLook = firstRuntimeLook;
    private long startingUntil = System.nanoTime();
    private final CodeChanges changes = new CodeChanges(System.nanoTime());
    private boolean targetGone;
    private int usualPriority;
    private boolean replaced;
    private @Nullable Ledger ledger;

    private RecordingSession(RecordingSetup parts, @Nullable SpawnedProcess spawned) {
        this.parts = parts;
        this.spawned = spawned;
        this.target = parts.target();
        this.source = parts.source();
        this.writer = parts.writer();
        this.recorder = parts.recorder();
        this.symbols = new FrameSymbols(target.code(), target.formerCode(), recorder.stacks(), writer,
                System.nanoTime());
        this.durationNanos = parts.options().duration().toNanos();
        this.cpu = new CpuAccount(target.process(), source.seesKernel());
    }

    /**
     * Prepares a recording of a running process. Nothing is sampled yet.
     *
     * @param captureFile a file that does not exist yet, or is empty
     * @throws Refused if there is no such target, it is not permitted, or the file cannot be written
     */
    public static RecordingSession open(int pid, RecordingOptions options, Path captureFile) throws Refused {
        return new RecordingSession(RecordingSetup.ofRunning(pid, options, captureFile), null);
    }

    /**
     * Prepares a recording that begins with the target's first instruction. The target is resumed by {@link #run}.
     *
     * @throws Refused if recording is not permitted, or the file cannot be written
     */
    public static RecordingSession openOnExec(SpawnedProcess target, RecordingOptions options, Path captureFile)
            throws Refused {
        return new RecordingSession(RecordingSetup.ofSpawned(target, options, captureFile), target);
    }

    /**
     * Records until the duration is over, {@link #stop} is called or the target ends.
     *
     * @throws IOException if writing the capture fails; the part written before remains readable
     */
    public void run(Progress progress) throws IOException {
        while (state != State.FINISHED && state != State.CLOSED) {
            switch (state) {
                case READY -> {
                    usualPriority = ThreadPriority.nice();
                    ThreadPriority.nice(PRIORITY); // otherwise samples are older when they are walked
                    startNanos = System.nanoTime();
                    cpu.start();
                    begin();
                    state = State.SAMPLING;
                }
                case SAMPLING -> state = sample(progress) ? State.SAMPLING : State.DRAINING;
                case DRAINING -> {
                    // The kernel records a loss with the next sample for which the ring has room, so make room and wait
                    // for that sample.
                    drain(System.nanoTime());
                    source.await(LAST_SAMPLE_MILLIS);
                    source.disable();
                    endNanos = System.nanoTime();
                    cpu.end();
                    drain(endNanos);
                    recorder.nameThreads(endNanos, !replaced);
                    ThreadPriority.nice(usualPriority);
                    finish();
                    state = State.FINISHED;
                }
                case FINISHED, CLOSED -> throw new IllegalStateException();
            }
        }
    }

    private void begin() throws IOException {
        if (spawned == null) {
            source.enable();
            return;
        }
        IOException[] failed = new IOException[1];
        spawned.resumeHeld(target.process(), () -> {
            try {
                source.enable();
                source.discard();
            } catch (IOException e) {
                failed[0] = e;
            }
        });
        if (failed[0] != null) {
            throw failed[0];
        }
    }

    /** Waits and drains once. Returns false if the recording should end. */
    private boolean sample(Progress progress) throws IOException {
        long left = durationNanos == 0 ? Long.MAX_VALUE : startNanos + durationNanos - System.nanoTime();
        if (stopped || left <= 0) {
            return false;
        }
        boolean urgent = System.nanoTime() - recorder.lastBeyond() < URGENT_NANOS;
        int most = urgent ? URGENT_MILLIS : isStarting() ? STARTING_MILLIS
                : isChanging() ? CHANGING_MILLIS
                : spawned != null && !target.process().isHeld() ? UNHELD_MILLIS : DRAIN_MILLIS;
        boolean goesOn = source.await((int) Math.max(1, Math.min(most, left / 1_000_000)));
        long now = System.nanoTime();
        drain(now, goesOn);
        symbols.turn(most < DRAIN_MILLIS, now);
        symbols.makeRoom(recorder.kernel());
        if (now - lastTick >= TICK_NANOS) {
            lastTick = now;
            cpu.sampleWhileAlive();
            progress.tick(recorder.samples(), now - startNanos, source.lost());
            writer.flush();
            heap.look();
        }
        if (now - lastLook >= LOOK_NANOS) {
            lastLook = now;
            replaced = target.isReplaced();
        }
        targetGone = !goesOn;
        replaced |= source.isReplaced();
        return !targetGone && !replaced;
    }

    /** Returns true if the target had no runtime until recently. */
    private boolean isStarting() {
        long now = System.nanoTime();
        if (target.runtimes().isEmpty()) {
            startingUntil = now + STARTING_NANOS;
        }
        return now - startingUntil < 0;
    }

    /** Returns true if compiled code was freed or replaced recently, or if the recording has just begun. */
    private boolean isChanging() {
        if (target.runtimes().isEmpty()) {
            return true;
        }
        return changes.areMany(target.supersededCode(), recorder.stale(), System.nanoTime());
    }

    private void drain(long now) throws IOException {
        drain(now, true);
    }

    private void drain(long now, boolean goesOn) throws IOException {
        source.begin(); // anything read from the target after this is newer than these samples
        if (spawned != null) {
            target.followExec(); // must come first, because a program may be short
        }
        target.newEpoch(now);
        findRuntimes(now);
        boolean later = goesOn && state == State.SAMPLING && mayWait(now);
        if (later) {
            LockSupport.parkNanos(STARTING_MILLIS * 1_000_000L); // a full ring would end each wait at once
            return;
        }
        source.drain(recorder);
        target.drained();
        if (!target.runtimes().isEmpty() && !source.isReplaced()) {
            recorder.nameThreads(now, isStarting());
        }
    }

    /** Finds new runtimes, since a process may have several JVMs. */
    private void findRuntimes(long now) throws IOException {
        List<ManagedRuntime> known = target.runtimes();
        if (!known.isEmpty() && (now - nextRuntimeLook < 0 || !target.hasUnknownLibrary())) {
            return;
        }
        boolean isNew = target.lookAgain();
        sawLibrary |= target.hasUnknownLibrary();
        if (isNew) {
            for (ManagedRuntime found : target.runtimes()) {
                if (!known.contains(found)) {
                    writer.runtime(RecordingSetup.recorded(found));
                }
            }
            if (known.isEmpty()) {
                // A started program, such as a script or a launcher, may execute another by execve(2).
                CommandLine commandLine = target.commandLine();
                writer.program(commandLine.text(), commandLine.mainClass());
            }
            target.newEpoch(System.nanoTime()); // opening the runtime took some time
            firstRuntimeLook = now;
        }
        if (now - nextRuntimeLook > 2 * MAX_RUNTIME_LOOK_NANOS) {
            firstRuntimeLook = now; // no library was unknown for some time: the interval starts again
        }
        // A library that cannot be read, such as that of an older JDK, is checked less and less often.
        nextRuntimeLook = now + Math.clamp((now - firstRuntimeLook) / 10, RUNTIME_LOOK_NANOS,
                MAX_RUNTIME_LOOK_NANOS);
    }

    /** Returns true if samples should wait because a VM is starting: its code can be walked once it has started. */
    private boolean mayWait(long now) {
        if (spawned == null || !target.runtimes().isEmpty() || !target.hasUnknownLibrary() || !source.hasRoom()) {
            return false;
        }
        if (libraryUnknownSince == 0) {
            libraryUnknownSince = now;
        }
        return now - libraryUnknownSince < (target.isStarting() ? STARTING_LIMIT_NANOS : UNSTARTED_NANOS);
    }

    private void finish() throws IOException {
        symbols.finish(recorder.kernel());
        boolean isCpu = parts.options().event().sum() == RecordingEvent.Sum.CPU_TIME;
        Ledger.Builder builder = parts.ledger().durationNanos(endNanos - startNanos)
                .procCpuNanos(isCpu ? cpu.nanos() : -1);
        source.account(builder);
        builder.addInferredLeaves(recorder.inferredLeaves());
        Alarms.add(builder, target, recorder.samples());
        if (target.runtimes().isEmpty()) {
            noteNoRuntime(builder);
        }
        if (replaced) {
            builder.note("the recording ended when the target became another program by execve(2)");
        } else if (targetGone) {
            builder.note("the recording ended with the target");
        }
        ledger = builder.build();
        writer.ledger(ledger);
        writer.close();
    }

    private void noteNoRuntime(Ledger.Builder builder) {
        if (sawLibrary && targetGone && target.isStarting()) {
            builder.note("a JVM was starting in the process, and could not be read before the process ended");
        } else if (!sawLibrary && targetGone && spawned != null) {
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
     * Returns the account of all samples. Valid after {@link #run}.
     *
     * @throws IllegalStateException if the recording has not been run
     */
    public Ledger ledger() {
        Ledger made = ledger;
        if (made == null) {
            throw new IllegalStateException("the recording has not been run");
        }
        return made;
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
        source.close();
        try {
            writer.close();
        } catch (IOException e) {
            // run() has reported the failed write; the caller removes an incomplete capture.
            stopped = true;
        }
        target.close();
    }
}
