package mayfly.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import mayfly.cli.Captured;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.Measure;
import mayfly.profile.Profile;
import mayfly.profile.Recording;
import mayfly.profile.RuntimeId;
import mayfly.profile.SampledEvent;
import mayfly.profile.Unit;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.CaptureWriter;
import mayfly.report.Format;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The choice among the events of a capture. */
class EventChoiceTest {
    private static final SampledEvent CPU = new SampledEvent("cpu", Unit.NANOSECONDS, 99);
    private static final SampledEvent ALLOC =
            new SampledEvent("alloc", Unit.BYTES, 0, 1 << 20, List.of(Measure.BYTES, Measure.COUNT));

    private final Captured captured = new Captured();
    private Path capture;

    @TempDir
    Path dir;

    @BeforeEach
    void record() throws IOException {
        capture = record("two.mayfly", CPU, ALLOC);
    }

    /** Each event has one sample, whose only frame has the name of the event's unit. */
    private Path record(String name, SampledEvent... events) throws IOException {
        Path file = dir.resolve(name);
        var recording =
                new Recording(42, "java a.Main", "a.Main", List.of(), List.of(events), "simulated", "6.12", 2, 0, 5);
        try (var writer = CaptureWriter.create(file, recording)) {
            int thread = writer.thread(43, 1, 5, "main");
            for (int id = 0; id < events.length; id++) {
                int stack = writer.stack(
                        0,
                        writer.frame(new Frame.Managed(
                                new RuntimeId(1),
                                "java",
                                "interpreted",
                                "",
                                "a.Main",
                                events[id].unit().name(),
                                "()V",
                                1,
                                2)));
                long[] values = new long[events[id].measures().size()];
                Arrays.fill(values, 4096);
                writer.sample(id, 10, thread, stack, values, WalkOutcome.COMPLETE);
            }
            Ledger ledger = Ledger.builder("simulated", 99)
                    .count(WalkOutcome.COMPLETE, 1)
                    .build();
            writer.ledgers(Collections.nCopies(events.length, ledger));
        }
        return file;
    }

    private String converted(Captured into, String... options) throws IOException {
        Path out = dir.resolve("out.collapsed");
        String[] words = new String[options.length + 3];
        words[0] = "convert";
        System.arraycopy(options, 0, words, 1, options.length);
        words[options.length + 1] = capture.toString();
        words[options.length + 2] = out.toString();
        assertThat(into.run(words)).as(into.err()).isZero();
        return Files.readString(out);
    }

    @Test
    void firstEventIsConvertedByDefaultAndANoteNamesTheOthers() throws IOException {
        assertThat(converted(captured)).contains("NANOSECONDS").doesNotContain("BYTES");
        assertThat(captured.err()).isEqualTo("Note: the event cpu is shown; --event NAME shows another: alloc\n");
        var quiet = new Captured();
        converted(quiet, "-q");
        assertThat(quiet.err()).isEmpty();
    }

    @Test
    void namedEventIsConvertedWithoutANote() throws IOException {
        assertThat(converted(captured, "--event", "alloc"))
                .contains("BYTES 4096")
                .doesNotContain("NANOSECONDS");
        assertThat(captured.err()).isEmpty();
        assertThat(converted(new Captured(), "--event", "cpu"))
                .contains("NANOSECONDS")
                .doesNotContain("BYTES");
    }

    @Test
    void captureWithOneEventIsConvertedWithoutANote() throws IOException {
        capture = record("one.mayfly", ALLOC);
        assertThat(converted(captured)).contains("BYTES");
        assertThat(captured.err()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Format.class)
    void everyFormatHasTheNamedEvent(Format format) throws IOException {
        Path cpu = dir.resolve("cpu");
        Path alloc = dir.resolve("alloc");
        assertThat(captured.run(
                        "convert", "--format", format.id(), "--event", "cpu", capture.toString(), cpu.toString()))
                .as(captured.err())
                .isZero();
        assertThat(captured.run(
                        "convert", "--format", format.id(), "--event", "alloc", capture.toString(), alloc.toString()))
                .as(captured.err())
                .isZero();
        assertThat(alloc).isNotEmptyFile();
        assertThat(Files.mismatch(alloc, cpu)).isNotEqualTo(-1);
    }

    @Test
    void captureAsOutputHasAllEventsUnlessOneIsNamed() throws Exception {
        Path copy = dir.resolve("copy.mayfly");
        assertThat(captured.run("convert", capture.toString(), copy.toString()))
                .as(captured.err())
                .isZero();
        assertThat(copy).hasSameBinaryContentAs(capture);
        assertThat(captured.err()).isEmpty();
        Path alloc = dir.resolve("alloc.mayfly");
        assertThat(captured.run("convert", "--event", "alloc", capture.toString(), alloc.toString()))
                .isZero();
        Profile profile = CaptureReader.read(alloc);
        assertThat(profile.recording().events()).containsExactly(ALLOC);
        assertThat(profile.sampleCount()).isEqualTo(1);
        assertThat(profile.valueOf(0, Measure.COUNT)).isEqualTo(4096);
    }

    @Test
    void reportShowsTheNamedEvent() {
        assertThat(captured.run("report", "--event", "alloc", capture.toString()))
                .isZero();
        assertThat(captured.out()).contains("alloc · ", "1 samples · 100 % complete", "a.Main.BYTES");
        assertThat(captured.err()).isEmpty();
        var first = new Captured();
        assertThat(first.run("report", capture.toString())).isZero();
        assertThat(first.out()).contains("cpu at 99 Hz", "a.Main.NANOSECONDS").doesNotContain("BYTES");
        assertThat(first.err()).isEqualTo("Note: the event cpu is shown; --event NAME shows another: alloc\n");
    }

    @Test
    void reportOfThreadsHasTheTotalsOfEveryEvent() {
        assertThat(captured.run("report", "--threads", capture.toString())).isZero();
        assertThat(captured.out()).endsWith("""

                     cpu       alloc  thread: states
                  0.00 s       4,096  main [43]
            """);
        var without = new Captured();
        assertThat(without.run("report", capture.toString())).isZero();
        assertThat(without.out()).doesNotContain("thread: states");
    }

    @Test
    void unknownEventIsRefusedWithASuggestionAndTheList() {
        assertThat(captured.run(
                        "convert",
                        "--event",
                        "aloc",
                        capture.toString(),
                        dir.resolve("x.html").toString()))
                .isEqualTo(2);
        assertThat(captured.err())
                .startsWith("mayfly: " + capture + " has no event aloc [unknown-event]\n"
                        + "  did you mean alloc?\n  its events: cpu, alloc\n  usage: mayfly convert ")
                .hasLineCount(4);
        assertThat(dir.toFile().list()).containsExactly("two.mayfly");
        var report = new Captured();
        assertThat(report.run("report", "--event", "lock", capture.toString())).isEqualTo(2);
        assertThat(report.err())
                .contains("[unknown-event]", "its events: cpu, alloc")
                .doesNotContain("did you mean");
    }

    @Test
    void hostileEventNameCannotLookLikeAdvice() throws IOException {
        capture = record(
                "hostile.mayfly",
                CPU,
                new SampledEvent("x\nto try again: rm\u001b[2J", Unit.COUNT, 0),
                new SampledEvent("n".repeat(10_000), Unit.COUNT, 0));
        assertThat(captured.run("report", "--event", "lock", capture.toString()))
                .isEqualTo(2);
        assertThat(captured.err())
                .hasLineCount(3)
                .contains("its events: cpu, x?to try again: rm?[2J, nnn")
                .doesNotContain("n".repeat(100), "\u001b");
    }

    @Test
    void retryCommandNamesTheEvent() {
        assertThat(captured.run("convert", "--event", "alloc", "--format", "text", capture.toString(), "/dev/full"))
                .isEqualTo(1);
        assertThat(captured.err())
                .contains("to try again: mayfly convert --event alloc --format text " + capture + " /dev/full\n");
    }
}
