package mayfly.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import mayfly.cli.Captured;
import mayfly.cli.output.CommandFailed;
import mayfly.linux.proc.AvailableMemory;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.Recording;
import mayfly.profile.RuntimeId;
import mayfly.profile.SampledEvent;
import mayfly.profile.Unit;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.CaptureWriter;
import mayfly.report.Format;
import mayfly.report.tree.ConversionOptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RenderingTest {
    private static final AvailableMemory PLENTY = new AvailableMemory(Long.MAX_VALUE, "");
    private static final int ANY = CaptureReader.ANY_REACH;
    private static final long NO_HEAP = 0;
    private static final long ALL_HEAP = Long.MAX_VALUE;

    @TempDir
    static Path shared;

    @TempDir
    Path dir;

    private static Path large;

    /** A capture large enough to be counted before it is read. */
    @BeforeAll
    static void record() throws IOException {
        large = shared.resolve("large.mayfly");
        var random = new SplittableRandom(3);
        var recording = new Recording(42, "java a.Main", "a.Main",
                List.of(new RecordedRuntime(new RuntimeId(1), "HotSpot", "", "25")),
                List.of(new SampledEvent("cpu", Unit.NANOSECONDS, 99)), "simulated", "6.12", 2,
                1_795_239_000_000_000_000L, 5);
        try (var writer = CaptureWriter.create(large, recording)) {
            var ledger = Ledger.builder("simulated", 99);
            for (int thread = 0; thread < 3; thread++) {
                writer.thread(43 + thread, 1, 5, "worker-" + thread);
            }
            for (int frame = 0; frame < 500; frame++) {
                writer.frame(new Frame.Managed(new RuntimeId(1), "java", "compiled", "C2",
                        "a.B" + frame / 10, "m" + frame, "()V", 1, 2));
            }
            for (int sample = 0; sample < 80_000; sample++) {
                int stack = 0;
                for (int depth = random.nextInt(1, 9); depth > 0; depth--) {
                    stack = writer.stack(stack, random.nextInt(500));
                }
                writer.sample(0, 5 + sample, sample % 3, stack, 10, WalkOutcome.COMPLETE);
                ledger.sample(WalkOutcome.COMPLETE, 10);
            }
            writer.ledger(ledger.build());
        }
        assertThat(Files.size(large)).as("large enough to be counted").isGreaterThan(2 << 20);
    }

    private static byte[] written(Rendering rendering) throws IOException {
        var out = new ByteArrayOutputStream();
        rendering.writeTo(out);
        return out.toByteArray();
    }

    @Test
    @Tag("jvm")
    void renderingInAChildJvmEqualsRenderingInProcess() throws Exception {
        var options = new ConversionOptions(true, true, true, false, new RuntimeId(1));
        for (Format format : Format.values()) {
            var here = Rendering.of(large, format, options, ALL_HEAP, PLENTY);
            var there = Rendering.of(large, format, options, NO_HEAP, PLENTY);
            assertThat(written(there)).as("%s", format).isEqualTo(written(here));
            assertThat(there.recording()).isEqualTo(here.recording());
            assertThat(there.warnings()).isEqualTo(here.warnings());
            assertThat(there.profile()).isEmpty();
        }
    }

    @Test
    void renderingWithTooLittleMemoryIsRefusedNamingTheLimit() {
        var little = new AvailableMemory(100 << 20, "the control group may use no more");
        assertThatThrownBy(() -> Rendering.of(large, Format.FLAMEGRAPH, ConversionOptions.DEFAULT, NO_HEAP, little))
                .isInstanceOfSatisfying(CommandFailed.class, e -> assertThat(e.id()).isEqualTo("not-enough-memory"))
                .hasMessageContaining("there are 100 MB: the control group may use no more");
    }

    @Test
    @Tag("jvm")
    void renderingJvmThatRunsOutOfHeapFailsWithAMessage() throws Exception {
        var jvm = new RenderingJvm(16 << 20, Format.FLAMEGRAPH, ConversionOptions.DEFAULT, ANY);
        assertThatThrownBy(() -> jvm.run(large, OutputStream.nullOutputStream())).isInstanceOf(RenderingFailed.class)
                .hasMessageContaining("a heap of ").hasMessageContaining(" MB was not enough");
    }

    @Test
    @Tag("jvm")
    void killedRenderingJvmFailsNamingTheSignal() {
        var jvm = new RenderingJvm(64 << 20, Format.COLLAPSED, ConversionOptions.DEFAULT, ANY);
        assertThatThrownBy(() -> jvm.run(large, new OutputStream() {
            @Override
            public void write(int b) {
                jvm.stop();
            }
        })).isInstanceOf(RenderingFailed.class).hasMessageContaining("signal 9");
        assertThatThrownBy(() -> jvm.run(large, OutputStream.nullOutputStream())).hasMessageContaining("given up");
    }

    @Test
    @Tag("jvm")
    void failingOutputEndsTheRenderingJvmAndKeepsItsReason() throws Exception {
        var jvm = new RenderingJvm(64 << 20, Format.COLLAPSED, ConversionOptions.DEFAULT, ANY);
        assertThatThrownBy(() -> jvm.run(large, Files.newOutputStream(Path.of("/dev/full"))))
                .isInstanceOf(IOException.class).isNotInstanceOf(RenderingFailed.class)
                .hasMessageContaining("No space left on device");
        assertThat(ProcessHandle.current().descendants().map(ProcessHandle::info).toList())
                .noneMatch(info -> info.commandLine().orElse("").contains("RenderingMain"));
    }

    @Test
    @Tag("slow")
    void failedConversionNamesTheCaptureAndTheRetryCommand() throws Exception {
        var captured = new Captured();
        Path capture = Files.copy(large, dir.resolve("it's.mayfly"));
        assertThat(captured.run("convert", "-t", "--lines", "--format", "text", capture.toString(), "/dev/full")).isEqualTo(1);
        assertThat(captured.err()).contains("No space left on device [output]")
                .contains("the recording stays: " + capture + "\n")
                .contains("try again: mayfly convert --threads --lines --format text '" + dir + "/it'\\''s.mayfly' /dev/full\n");
        assertThat(capture).hasSameBinaryContentAs(large);
    }
}
