package mayfly.report;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import mayfly.profile.BadCapture;
import mayfly.profile.Detail;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.Profile;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.Recording;
import mayfly.profile.RuntimeId;
import mayfly.profile.SampledEvent;
import mayfly.profile.StackTable;
import mayfly.profile.Unit;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.CaptureWriter;

/**
 * A recording that is built from text: {@code stack("main", 3, "2 a.B.run", "i a.B.loop", "n libc.so.6 memcpy")}. A
 * frame starts with its kind: 0 interpreted, 1 C1, 2 C2, i inlined, j inlined by inference, w native method, s stub, v
 * VM, n native (library, symbol), k kernel.
 */
public final class RecordingBuilder {
    private final StackTable table = new StackTable();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final Map<String, Integer> threads = new HashMap<>();
    private final Ledger.Builder ledger = Ledger.builder("perf, one event per thread", 99);
    private final CaptureWriter writer;
    private final Unit unit;
    private long now = 1_000_000_000L;
    private boolean ended;

    public RecordingBuilder() throws IOException {
        this(Unit.NANOSECONDS, "org.example.Orders", "java -jar orders.jar --port 8080");
    }

    public RecordingBuilder(Unit unit, String mainClass, String commandLine) throws IOException {
        this(unit, mainClass, commandLine, List.of());
    }

    private RecordingBuilder(Unit unit, String mainClass, String commandLine, List<RecordedRuntime> more)
            throws IOException {
        List<RecordedRuntime> runtimes = new ArrayList<>();
        runtimes.add(new RecordedRuntime(new RuntimeId(1), "HotSpot", "G1", "25.0.1+8-LTS"));
        runtimes.addAll(more);
        this.unit = unit;
        writer = new CaptureWriter(
                Channels.newChannel(bytes),
                new Recording(
                        4711,
                        commandLine,
                        mainClass,
                        runtimes,
                        List.of(new SampledEvent("cpu", unit, 99)),
                        "perf, one event per thread",
                        "6.12.0",
                        8,
                        1_795_239_000_000_000_000L,
                        now));
    }

    /** Returns a recording of a process that has a second runtime. */
    static RecordingBuilder ofTwoRuntimes() throws IOException {
        return new RecordingBuilder(
                Unit.NANOSECONDS,
                "org.example.Orders",
                "java -jar orders.jar --port 8080",
                List.of(new RecordedRuntime(new RuntimeId(2), "HotSpot", "G1", "17.0.15+6")));
    }

    public RecordingBuilder stack(String thread, int samples, String... frames) throws IOException {
        return stack(thread, WalkOutcome.COMPLETE, samples, 10_101_010, frames);
    }

    RecordingBuilder stack(String thread, int samples, List<Frame> frames) throws IOException {
        return stack(thread, WalkOutcome.COMPLETE, samples, 10_101_010, frames);
    }

    public RecordingBuilder stack(String thread, WalkOutcome outcome, int samples, long value, String... frames)
            throws IOException {
        return stack(
                thread,
                outcome,
                samples,
                value,
                Stream.of(frames).map(RecordingBuilder::frame).toList());
    }

    RecordingBuilder stack(String thread, WalkOutcome outcome, int samples, long value, List<Frame> frames)
            throws IOException {
        int stack = StackTable.NO_FRAMES;
        for (Frame frame : frames) {
            stack = table.stack(stack, table.frame(frame));
        }
        writer.append(table);
        Integer index = threads.get(thread);
        if (index == null) {
            index = writer.thread(5000 + threads.size(), 0, now, thread);
            threads.put(thread, index);
        }
        for (int i = 0; i < samples; i++) {
            now += value;
            writer.sample(0, now, index, stack, value, outcome);
            ledger.sample(outcome, unit == Unit.NANOSECONDS ? value : 0);
        }
        return this;
    }

    private static Frame frame(String text) {
        String rest = text.substring(2);
        var r1 = new RuntimeId(1);
        return switch (text.charAt(0)) {
            case '0' -> java("interpreted", "", rest);
            case '1' -> java("compiled", "C1", rest);
            case '2' -> java("compiled", "C2", rest);
            case 'i' -> java("inlined", "", rest);
            case 'j' -> inferred(rest);
            case 'w' -> java("native", "", rest);
            case 's' -> new Frame.Stub(r1, rest);
            case 'v' -> new Frame.Native("libjvm.so", rest.hashCode() & 0xFFFFFF, rest, true);
            case 'n' -> new Frame.Native(word(rest, 0), rest.hashCode() & 0xFFFFFF, word(rest, 1), false);
            case 'k' -> new Frame.Kernel(0, rest);
            default -> throw new IllegalArgumentException(text);
        };
    }

    private static String word(String text, int index) {
        String[] words = text.split(" ", 2);
        return index < words.length ? words[index] : "";
    }

    private static Frame inferred(String name) {
        var certain = (Frame.Managed) java("inlined", "", name);
        return new Frame.Managed(
                certain.runtime(),
                certain.language(),
                certain.kind(),
                certain.tier(),
                certain.type(),
                certain.method(),
                certain.descriptor(),
                certain.position(),
                certain.line(),
                certain.file(),
                Frame.Certainty.INFERRED);
    }

    private static Frame java(String kind, String tier, String name) {
        int dot = name.lastIndexOf('.');
        return new Frame.Managed(
                new RuntimeId(1),
                "java",
                kind,
                tier,
                name.substring(0, dot),
                name.substring(dot + 1),
                "(ILjava/lang/String;)V",
                7,
                42);
    }

    public Profile profile() throws IOException {
        return profile(Detail.EVERY_SAMPLE);
    }

    /**
     * Returns the profile read with the given detail. May be called repeatedly; recording is not possible afterwards.
     */
    public Profile profile(Detail detail) throws IOException {
        if (!ended) {
            ledger.durationNanos(now - 1_000_000_000L)
                    .procCpuNanos(now - 990_000_000L)
                    .note("Threads that live shorter than a sampling period are under-represented.");
            writer.ledger(ledger.build());
            writer.close();
            ended = true;
        }
        try {
            return CaptureReader.read(new ByteArrayInputStream(bytes.toByteArray()), detail);
        } catch (BadCapture e) {
            throw new AssertionError(e);
        }
    }
}
