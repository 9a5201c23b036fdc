package mayfly.cli.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import mayfly.cli.Captured;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Terminal;
import mayfly.discovery.Doctor.Need;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.Measure;
import mayfly.profile.Profile;
import mayfly.profile.RuntimeId;
import mayfly.profile.Unit;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import mayfly.record.RecordingOptions;
import mayfly.record.RecordingSession;
import mayfly.record.event.Collector;
import mayfly.record.event.EventSource;
import mayfly.record.event.RecordingEvent;
import mayfly.record.event.SampleSink;
import mayfly.record.event.SourceCost;
import mayfly.record.event.SourceKind;
import mayfly.report.tree.ConversionOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings of a scripted source that fail. Uses this process as the target. */
class RecordingFlowTest {
    private static final int PID = (int) ProcessHandle.current().pid();
    private static final Frame FRAME =
            new Frame.Managed(new RuntimeId(1), "java", Frame.Managed.INTERPRETED, "", "Orders", "place", "()V", 0, -1);
    private static final int SAMPLES = 2;

    @TempDir
    private Path dir;

    private final Captured captured = new Captured();

    /** A source with one sample in each drain, which then fails, or whose target then ends. */
    private static final class Scripted implements EventSource {
        private final @Nullable Throwable failure;
        private int drains;

        Scripted(@Nullable Throwable failure) {
            this.failure = failure;
        }

        @Override
        public void enable() {
            // nothing to enable
        }

        @Override
        public boolean await(int timeoutMillis) {
            return drains < SAMPLES || failure != null;
        }

        @Override
        public void drain(SampleSink sink) throws IOException {
            if (drains++ < SAMPLES) {
                sample(sink);
            } else if (failure != null) {
                RecordingFlowTest.<RuntimeException>raise(failure);
            }
        }

        private static void sample(SampleSink sink) throws CaptureWriteException {
            sink.begin();
            sink.accept(FRAME);
            sink.write(PID, System.nanoTime(), 1000, WalkOutcome.COMPLETE);
        }

        @Override
        public void disable() {
            // nothing is enabled
        }

        @Override
        public long lost() {
            return 0;
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
            // nothing is open
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable failure) throws T {
        throw (T) failure;
    }

    private static RecordingSession scripted(@Nullable Throwable failure, Path file) throws Exception {
        var event = new RecordingEvent(
                "script",
                "time",
                "of the script",
                Unit.NANOSECONDS,
                List.of(Measure.VALUE),
                false,
                RecordingEvent.Sum.NONE,
                List.of(new SourceKind(
                        Collector.PER_THREAD,
                        Set.of(Need.MEMORY),
                        new SourceCost(
                                0, SourceCost.ANY_RATE, List.of(new SourceCost.StackCopy(SourceCost.ANY_RATE, 0))),
                        List.of(),
                        (request, kind) -> new Scripted(failure))));
        return RecordingSession.open(PID, new RecordingOptions(event, 99, Duration.ZERO, Collector.AUTO, false), file);
    }

    private RecordingFlow flow(Path output, @Nullable Throwable failure, Terminal terminal) throws Exception {
        var options = new RecordingOptions(99, Duration.ZERO, Collector.AUTO, false);
        var request = new RecordingRequest(
                options,
                ConversionOptions.DEFAULT,
                output,
                output.equals(Path.of("-")) ? "collapsed" : null,
                true,
                false);
        return RecordingFlow.open(PID, request, terminal, (ignored, file) -> {
            try {
                return scripted(failure, file);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    /** Returns the failure as it is printed. */
    private String failed(Path output, @Nullable Throwable failure, Terminal terminal) throws Exception {
        try (RecordingFlow flow = flow(output, failure, terminal)) {
            assertThatThrownBy(flow::run)
                    .isInstanceOfSatisfying(
                            CommandFailed.class,
                            e -> assertThat(e.printTo(captured.terminal().err()))
                                    .isEqualTo(1));
        }
        return captured.err();
    }

    private static Path kept(String message) {
        return Path.of(message.replaceFirst("(?s).*the recording is kept: (\\S+).*", "$1"));
    }

    private static void assertHasTheSamples(Path capture) throws Exception {
        Profile profile = CaptureReader.read(capture);
        assertThat(profile.sampleCount()).isEqualTo(SAMPLES);
        assertThat(profile.frames()).containsExactly(FRAME);
    }

    @Test
    void errorDuringTheRecordingKeepsTheSamplesSoFar() throws Exception {
        for (Throwable failure : List.of(
                new OutOfMemoryError("Java heap space"), new IllegalStateException("odd"), new StackOverflowError())) {
            captured.clear();
            String said = failed(dir.resolve("x.html"), failure, captured.terminal());
            assertThat(said)
                    .startsWith("mayfly: this is a defect in Mayfly: "
                            + failure.getClass().getName())
                    .contains(
                            "[internal-error]",
                            "MAYFLY_DEBUG=1",
                            "to try again: mayfly convert " + kept(said) + " " + dir.resolve("x.html"));
            assertThat(kept(said)).hasParent(dir);
            assertHasTheSamples(kept(said));
            assertThat(dir.resolve("x.html")).doesNotExist();
        }
    }

    @Test
    void errorDuringTheRecordingOfACaptureKeepsItUnderTheWantedName() throws Exception {
        Path output = dir.resolve("x.mayfly");
        String said = failed(output, new OutOfMemoryError("Java heap space"), captured.terminal());
        assertThat(kept(said)).isEqualTo(output);
        assertThat(said).doesNotContain("try again");
        assertHasTheSamples(output);
        assertThat(dir.toFile().list()).containsExactly("x.mayfly");
    }

    @Test
    void failedWriteDuringTheRecordingKeepsTheSamplesSoFar() throws Exception {
        String said = failed(dir.resolve("x.html"), new IOException("No space left on device"), captured.terminal());
        assertThat(said).contains("No space left on device [output]");
        assertHasTheSamples(kept(said));
    }

    /** The first output fails in the conversion itself, the other one after it. */
    @Test
    void errorInTheConversionOfAFreshRecordingKeepsTheRecording() throws Exception {
        List<PrintStream> outputs = List.of(
                new PrintStream(OutputStream.nullOutputStream()) {
                    @Override
                    public void write(byte[] bytes, int offset, int length) {
                        throw new IllegalStateException("odd");
                    }
                },
                new PrintStream(OutputStream.nullOutputStream()) {
                    @Override
                    public void flush() {
                        throw new IllegalStateException("odd");
                    }
                });
        for (PrintStream output : outputs) {
            captured.clear();
            String said = failed(Path.of("-"), null, captured.withOutput(output, false));
            assertThat(said)
                    .contains("this is a defect in Mayfly: java.lang.IllegalStateException: odd", "[rendering-failed]");
            assertHasTheSamples(kept(said));
            kept(said).toFile().delete();
        }
    }

    @Test
    void recordingThatDoesNotFailLeavesOnlyItsFile() throws Exception {
        try (RecordingFlow flow = flow(dir.resolve("x.collapsed"), null, captured.terminal())) {
            assertThat(flow.run().file())
                    .isEqualTo(dir.resolve("x.collapsed"))
                    .content()
                    .contains("Orders.place");
        }
        assertThat(dir.toFile().list()).containsExactly("x.collapsed");
    }
}
