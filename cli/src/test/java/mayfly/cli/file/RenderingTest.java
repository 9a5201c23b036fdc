package mayfly.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import mayfly.cli.Captured;
import mayfly.cli.Main;
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
import mayfly.report.HeapEstimate;
import mayfly.report.tree.ConversionOptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RenderingTest {
    private static final AvailableMemory PLENTY = new AvailableMemory(Long.MAX_VALUE, "");
    private static final String FIRST = CaptureReader.FIRST_EVENT;
    private static final int ANY = CaptureReader.ANY_REACH;
    private static final long NO_HEAP = 0;
    private static final long ALL_HEAP = 256 << 20;

    @TempDir
    static Path shared;

    @TempDir
    Path dir;

    private static Path large;

    /** A capture that is so large that the heap for it is estimated before it is read. */
    @BeforeAll
    static void record() throws IOException {
        large = write(shared.resolve("large.mayfly"), 80_000);
        assertThat(Files.size(large)).as("large enough for an estimate").isGreaterThan(2 << 20);
    }

    private static Path write(Path file, int samples) throws IOException {
        var random = new SplittableRandom(3);
        var recording = new Recording(
                42,
                "java a.Main",
                "a.Main",
                List.of(new RecordedRuntime(new RuntimeId(1), "HotSpot", "", "25")),
                List.of(new SampledEvent("cpu", Unit.NANOSECONDS, 99)),
                "simulated",
                "6.12",
                2,
                1_795_239_000_000_000_000L,
                5);
        try (var writer = CaptureWriter.create(file, recording)) {
            var ledger = Ledger.builder("simulated", 99);
            for (int thread = 0; thread < 3; thread++) {
                writer.thread(43 + thread, 1, 5, "worker-" + thread);
            }
            for (int frame = 0; frame < 500; frame++) {
                writer.frame(new Frame.Managed(
                        new RuntimeId(1), "java", "compiled", "C2", "a.B" + frame / 10, "m" + frame, "()V", 1, 2));
            }
            for (int sample = 0; sample < samples; sample++) {
                int stack = 0;
                for (int depth = random.nextInt(1, 9); depth > 0; depth--) {
                    stack = writer.stack(stack, random.nextInt(500));
                }
                writer.sample(0, 5 + sample, sample % 3, stack, 10, WalkOutcome.COMPLETE);
                ledger.sample(WalkOutcome.COMPLETE, 10);
            }
            writer.ledger(ledger.build());
        }
        return file;
    }

    /** A capture small enough to be converted without an estimate, with many stacks for its size. */
    private Path small() throws IOException {
        Path file = write(dir.resolve("small.mayfly"), 60_000);
        assertThat(Files.size(file)).isBetween(1L << 20, 2L << 20);
        return file;
    }

    private static byte[] written(Rendering rendering) throws IOException {
        var out = new ByteArrayOutputStream();
        rendering.writeTo(out);
        return out.toByteArray();
    }

    @Test
    @Tag("jvm")
    void renderingInAChildJvmEqualsRenderingInProcess() throws Exception {
        var options = new ConversionOptions(true, true, true, false, new RuntimeId.Choice("25"));
        for (String event : List.of(FIRST, "cpu")) {
            for (Format format : Format.values()) {
                var here = Rendering.of(large, event, format, options, ALL_HEAP, PLENTY);
                var there = Rendering.of(large, event, format, options, NO_HEAP, PLENTY);
                assertThat(written(there)).as("%s", format).isEqualTo(written(here));
                assertThat(there.recording()).isEqualTo(here.recording());
                assertThat(there.warnings()).isEqualTo(here.warnings());
                assertThat(there.profile()).isEmpty();
            }
        }
    }

    @Test
    void runtimeThatTheRecordingLacksIsNoted() throws Exception {
        for (String choice : List.of("r2", "17", "2")) {
            var options = new ConversionOptions(false, true, false, false, new RuntimeId.Choice(choice));
            assertThat(Rendering.of(large, FIRST, Format.COLLAPSED, options, ALL_HEAP, PLENTY)
                            .notes())
                    .containsExactly("nothing is shown, because the recording has no runtime " + choice
                            + "; it has r1 HotSpot 25");
            assertThat(Rendering.of(large, FIRST, Format.CAPTURE, options, ALL_HEAP, PLENTY)
                            .notes())
                    .isEmpty();
        }
        for (String choice : List.of("r1", "25")) {
            var options = new ConversionOptions(false, true, false, false, new RuntimeId.Choice(choice));
            assertThat(Rendering.of(large, FIRST, Format.COLLAPSED, options, ALL_HEAP, PLENTY)
                            .notes())
                    .isEmpty();
        }
    }

    @Test
    void smallCaptureIsEstimatedIfThreadsAreShown() throws Exception {
        Path small = write(dir.resolve("small.mayfly"), 10);
        var threads = new ConversionOptions(true, true, true, false, null);
        assertThat(Rendering.of(small, FIRST, Format.FLAMEGRAPH, ConversionOptions.DEFAULT, NO_HEAP, PLENTY)
                        .profile())
                .isPresent();
        assertThat(Rendering.of(small, FIRST, Format.FLAMEGRAPH, threads, NO_HEAP, PLENTY)
                        .profile())
                .isEmpty();
        assertThat(Rendering.of(small, FIRST, Format.FLAMEGRAPH, threads, ALL_HEAP, PLENTY)
                        .profile())
                .isPresent();
    }

    /** A stream that accepts {@code before} writes, and whose next write fails as if the heap were full. */
    private static OutputStream fullAfter(int before, OutputStream out) {
        return new FilterOutputStream(out) {
            private int writes;

            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                if (writes++ == before) {
                    throw new OutOfMemoryError("Java heap space");
                }
                out.write(bytes, offset, length);
            }
        };
    }

    @Test
    @Tag("jvm")
    void heapThatIsFullBeforeTheFirstByteLeadsToAChildJvm() throws Exception {
        var rendering = Rendering.of(large, FIRST, Format.COLLAPSED, ConversionOptions.DEFAULT, ALL_HEAP, PLENTY);
        byte[] expected = written(rendering);
        var out = new ByteArrayOutputStream();
        rendering.writeTo(fullAfter(0, out));
        assertThat(out.toByteArray()).isEqualTo(expected);
    }

    @Test
    void heapThatIsFullAfterTheFirstByteIsAFailure() throws Exception {
        var rendering = Rendering.of(large, FIRST, Format.COLLAPSED, ConversionOptions.DEFAULT, ALL_HEAP, PLENTY);
        assertThatThrownBy(() -> rendering.writeTo(fullAfter(1, OutputStream.nullOutputStream())))
                .isInstanceOf(RenderingFailed.class)
                .hasMessageMatching("the heap of \\d+ MB is full");
    }

    @Test
    void fullHeapWithoutMemoryForALargerOneIsAFailureNamingTheLimit() throws Exception {
        var rendering = Rendering.of(
                large,
                FIRST,
                Format.COLLAPSED,
                ConversionOptions.DEFAULT,
                ALL_HEAP,
                new AvailableMemory(100 << 20, "the control group may use no more"));
        assertThatThrownBy(() -> rendering.writeTo(fullAfter(0, OutputStream.nullOutputStream())))
                .isInstanceOf(RenderingFailed.class)
                .hasMessageContaining("MB is full, and a larger one is not possible")
                .hasMessageContaining("the control group may use no more");
    }

    @Test
    @Tag("jvm")
    void smallCaptureThatFillsTheHeapIsConvertedInAChildJvm() throws Exception {
        Path small = small();
        Path page = dir.resolve("small.html");
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx20m", "-XX:+UseSerialGC"));
        String modules = System.getProperty("jdk.module.path");
        line.addAll(
                modules == null
                        ? List.of("-cp", System.getProperty("java.class.path"), Main.class.getName())
                        : List.of("--module-path", modules, "--module", "mayfly.cli/" + Main.class.getName()));
        line.addAll(List.of("convert", "-q", small.toString(), page.toString()));
        Process convert = new ProcessBuilder(line).redirectErrorStream(true).start();
        String said = new String(convert.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(convert.waitFor()).as(said).isZero();
        var here = Rendering.of(small, FIRST, Format.FLAMEGRAPH, ConversionOptions.DEFAULT, ALL_HEAP, PLENTY);
        assertThat(page).hasBinaryContent(written(here));
    }

    /** The conversion runs with a heap of exactly the estimate, which must be from 16 to 96 MiB. */
    @Test
    @Tag("jvm")
    void estimatedHeapIsSufficient() throws Exception {
        for (boolean threads : new boolean[] {false, true}) {
            var options = new ConversionOptions(threads, true, true, false, null);
            for (Format format : Format.values()) {
                long heap;
                try (var in = Files.newInputStream(large)) {
                    heap = HeapEstimate.bytes(CaptureReader.summary(in), format, options);
                }
                assertThat(heap).as("%s", format).isBetween(16L << 20, 96L << 20);
                var jvm = new RenderingJvm(heap, format, options, ANY, "cpu");
                assertThatCode(() -> jvm.run(large, OutputStream.nullOutputStream()))
                        .as("%s, threads %s, %d MB", format, threads, heap >> 20)
                        .doesNotThrowAnyException();
            }
        }
    }

    @Test
    void renderingWithTooLittleMemoryIsRefusedNamingTheLimit() {
        var little = new AvailableMemory(100 << 20, "the control group may use no more");
        assertThatThrownBy(
                        () -> Rendering.of(large, FIRST, Format.FLAMEGRAPH, ConversionOptions.DEFAULT, NO_HEAP, little))
                .isInstanceOfSatisfying(
                        CommandFailed.class, e -> assertThat(e.id()).isEqualTo("not-enough-memory"))
                .hasMessageContaining("100 MB are available: the control group may use no more");
    }

    @Test
    @Tag("jvm")
    void renderingJvmThatRunsOutOfHeapFailsWithAMessage() throws Exception {
        var jvm = new RenderingJvm(16 << 20, Format.FLAMEGRAPH, ConversionOptions.DEFAULT, ANY, FIRST);
        assertThatThrownBy(() -> jvm.run(large, OutputStream.nullOutputStream()))
                .isInstanceOf(RenderingFailed.class)
                .hasMessageContaining("a heap of ")
                .hasMessageContaining(" MB was not enough");
    }

    @Test
    @Tag("jvm")
    void killedRenderingJvmFailsNamingTheSignal() {
        var jvm = new RenderingJvm(64 << 20, Format.COLLAPSED, ConversionOptions.DEFAULT, ANY, FIRST);
        assertThatThrownBy(() -> jvm.run(large, new OutputStream() {
                    @Override
                    public void write(int b) {
                        jvm.stop();
                    }
                }))
                .isInstanceOf(RenderingFailed.class)
                .hasMessageContaining("signal 9");
        assertThatThrownBy(() -> jvm.run(large, OutputStream.nullOutputStream()))
                .hasMessageContaining("cancelled");
    }

    @Test
    @Tag("jvm")
    void failingOutputEndsTheRenderingJvmAndKeepsItsReason() throws Exception {
        var jvm = new RenderingJvm(64 << 20, Format.COLLAPSED, ConversionOptions.DEFAULT, ANY, FIRST);
        assertThatThrownBy(() -> jvm.run(large, Files.newOutputStream(Path.of("/dev/full"))))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(RenderingFailed.class)
                .hasMessageContaining("No space left on device");
        assertThat(ProcessHandle.current()
                        .descendants()
                        .map(ProcessHandle::info)
                        .toList())
                .noneMatch(info -> info.commandLine().orElse("").contains("RenderingMain"));
    }

    @Test
    @Tag("slow")
    void failedConversionNamesTheCaptureAndTheRetryCommand() throws Exception {
        var captured = new Captured();
        Path capture = Files.copy(large, dir.resolve("it's.mayfly"));
        assertThat(captured.run("convert", "-t", "--lines", "--format", "text", capture.toString(), "/dev/full"))
                .isEqualTo(1);
        assertThat(captured.err())
                .contains("No space left on device [output]")
                .contains("the recording is unchanged: " + capture + "\n")
                .contains("try again: mayfly convert --threads --lines --format text '" + dir
                        + "/it'\\''s.mayfly' /dev/full\n");
        assertThat(capture).hasSameBinaryContentAs(large);
    }
}
