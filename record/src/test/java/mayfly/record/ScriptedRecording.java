package mayfly.record;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import mayfly.arch.x86.X86_64;
import mayfly.discovery.ManagedThreadNames;
import mayfly.linux.proc.KernelSymbols;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import mayfly.profile.Ledger;
import mayfly.profile.Profile;
import mayfly.profile.Recording;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.CaptureWriter;
import mayfly.record.event.ChosenSource;
import mayfly.record.event.Collector;
import mayfly.record.event.EventSource;
import mayfly.record.event.EventSources;
import mayfly.record.event.RecordingEvent;
import mayfly.record.event.SampleSink;
import org.jspecify.annotations.Nullable;

/** A recording of a scripted target, with a scripted source of samples and a scripted clock, into memory. */
final class ScriptedRecording implements RecordingClock, EventSource {
    static final int TID = 4711;
    static final long MS = 1_000_000;
    static final long START = 1_000_000 * MS;
    private static final long SP = 0x7000_0000;
    private static final int COPIED_WORDS = 64;

    /** Something that happens while the session waits for samples. */
    interface Step {
        void run() throws Exception;
    }

    final ScriptedTarget target;
    final Recorder recorder;
    /** The timeouts of all waits, ms. */
    final List<Integer> waits = new ArrayList<>();
    /** The times of the drains that reached the source, ms after the start. */
    final List<Long> drains = new ArrayList<>();
    /** The calls of the source other than waits and drains. */
    final List<String> calls = new ArrayList<>();

    long holdsNanos;
    boolean hasRoom = true;
    boolean isReplaced;

    @Nullable
    IOException failsToEnable;

    int pauses;
    /** One for each wait; the target ends after the last one. */
    private final Deque<Step> steps = new ArrayDeque<>();
    /** The program counters of the samples that the next drain delivers. */
    private final List<Long> samples = new ArrayList<>();

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final RecordingSession session;
    private long now = START;

    ScriptedRecording(ScriptedTarget target) throws Exception {
        this(target, Duration.ZERO);
    }

    ScriptedRecording(ScriptedTarget target, Duration duration) throws Exception {
        this(target, duration, START);
    }

    /** Creates a recording whose source was enabled at a time, or is not enabled yet if that is {@link #START}. */
    ScriptedRecording(ScriptedTarget target, Duration duration, long enabled) throws Exception {
        CpuAccount cpu = new CpuAccount(() -> -1);
        EventSources sources = new EventSources(List.of(new ChosenSource(RecordingEvent.CPU, this, List.of())));
        SamplingStart start = enabled == START
                ? SamplingStart.now(sources, cpu, this) // its samples cannot wait
                : new SamplingStart(sources, cpu, enabled);
        this.target = target;
        RecordingOptions options = new RecordingOptions(99, duration, Collector.AUTO, false);
        CaptureWriter writer = new CaptureWriter(
                Channels.newChannel(bytes),
                new Recording(
                        42,
                        "sh script",
                        "",
                        List.of(),
                        List.of(RecordingEvent.CPU.sampled(99)),
                        "a script",
                        "6.12",
                        4,
                        0,
                        START));
        var shared = new Recorder.Shared(
                target,
                writer,
                new ThreadNames(new NoThreads(), writer, new NoNames()),
                new KernelFrames(KernelSymbols::none));
        recorder = new Recorder(shared, RecordingEvent.CPU, 0, Ledger.builder("a script", 99));
        FrameSymbols symbols = new FrameSymbols(NoFiles.code(), List.of(), shared.stacks(), writer, START);
        session = new RecordingSession(new RecordingSetup(
                options, this, target, start, shared, List.of(recorder), symbols, "a recording of a script"));
    }

    private record NoThreads() implements ThreadNames.ListedThreads {
        @Override
        public @Nullable TargetThread thread(int tid) {
            return null;
        }

        @Override
        public int[] tids() {
            return new int[0];
        }
    }

    private record NoNames() implements ManagedThreadNames {
        @Override
        public Map<Integer, String> names(Collection<Integer> tids) {
            return Map.of();
        }

        @Override
        public String wholeName(String kernelsName) {
            return kernelsName;
        }
    }

    /** Adds steps in which nothing happens. */
    ScriptedRecording waits(int count) {
        for (int i = 0; i < count; i++) {
            steps.add(() -> {});
        }
        return this;
    }

    ScriptedRecording then(Step step) {
        steps.add(step);
        return this;
    }

    /** Adds a step during which a sample is taken. */
    ScriptedRecording sample(long pc) {
        return then(() -> samples.add(pc));
    }

    /** Runs the recording to its end and returns the capture. */
    Profile run() throws Exception {
        session.run((count, elapsed, lost) -> {});
        session.close();
        return CaptureReader.read(new ByteArrayInputStream(bytes.toByteArray()));
    }

    RecordingSession session() {
        return session;
    }

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public void pause(long nanos) {
        pauses++;
        now += nanos;
    }

    @Override
    public void enable() throws IOException {
        calls.add("enable");
        if (failsToEnable != null) {
            throw failsToEnable;
        }
    }

    @Override
    public void discard() {
        calls.add("discard");
    }

    @Override
    public boolean await(int timeoutMillis) {
        waits.add(timeoutMillis);
        now += timeoutMillis * MS;
        Step step = steps.poll();
        if (step == null) {
            return false;
        }
        try {
            step.run();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return true;
    }

    @Override
    public void drain(SampleSink sink) throws IOException {
        drains.add((now - START) / MS);
        for (long pc : samples) {
            sink.begin();
            SampleSink.Walk walk = sink.walk(TID, now, at(pc), count -> new long[COPIED_WORDS], COPIED_WORDS);
            sink.write(TID, now, 10 * MS, walk.outcome());
        }
        samples.clear();
    }

    /** Returns the registers of a thread at a program counter. */
    static Registers at(long pc) {
        Registers registers = new Registers(X86_64.ARCHITECTURE);
        registers.setPc(pc);
        registers.setSp(SP);
        return registers;
    }

    /** Walks one sample at a program counter. */
    SampleSink.Walk walk(long pc, long time) {
        return recorder.walk(TID, time, at(pc), count -> new long[COPIED_WORDS], COPIED_WORDS);
    }

    void write(long time, WalkOutcome outcome) throws IOException {
        recorder.write(TID, time, 1, outcome);
    }

    @Override
    public long holdsNanos() {
        return holdsNanos;
    }

    @Override
    public boolean hasRoom() {
        return hasRoom;
    }

    @Override
    public void disable() {
        calls.add("disable");
    }

    @Override
    public long lost() {
        return 0;
    }

    @Override
    public boolean isReplaced() {
        return isReplaced;
    }

    @Override
    public String description() {
        return "a script";
    }

    @Override
    public void account(Ledger.Builder ledger) {
        // nothing is lost
    }

    @Override
    public void close() {
        calls.add("close");
    }
}
