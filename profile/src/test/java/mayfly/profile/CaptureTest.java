package mayfly.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.CaptureSummary;
import mayfly.profile.capture.CaptureWriteException;
import mayfly.profile.capture.CaptureWriter;
import mayfly.profile.capture.Captures;
import mayfly.profile.capture.records.CaptureFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureTest {
    private static final RuntimeId R1 = new RuntimeId(1);
    private static final Frame RUN = new Frame.Managed(R1, "java", "interpreted", "", "a.Main", "run", "()V", 3, 17);
    private static final Frame LOOP = new Frame.Managed(R1, "java", "compiled", "C2", "a.Main", "loop", "(I)V", -1, -1);
    private static final Frame STUB = new Frame.Stub(R1, "call_stub");
    private static final Frame NATIVE = new Frame.Native("libc.so.6", 0xFFFF_FFFF_8000_0000L, "", false);
    private static final Frame KERNEL = new Frame.Kernel(0, "do_syscall_64");

    static Recording recording() {
        return new Recording(42, "java a.Main ü", "a.Main", List.of(new RecordedRuntime(R1, "HotSpot", "", "25.0.1")),
                List.of(new SampledEvent("cpu", Unit.NANOSECONDS, 99)), "perf per thread", "6.12", 4,
                1_700_000_000_000_000_000L, 5_000_000_000L);
    }

    private static void write(WritableByteChannel channel) throws IOException {
        try (var writer = new CaptureWriter(channel, recording())) {
            var table = new StackTable();
            int root = table.stack(StackTable.NO_FRAMES, table.frame(RUN));
            int deep = table.stack(table.stack(root, table.frame(STUB)), table.frame(NATIVE));
            writer.append(table);
            int main = writer.thread(43, 1234, 5_000_000_100L, "main");
            writer.sample(0, 5_010_000_000L, main, root, 10_101_010, WalkOutcome.COMPLETE);
            writer.flush();
            int loop = table.stack(root, table.frame(LOOP));
            int kernel = table.stack(loop, table.frame(KERNEL));
            writer.append(table);
            writer.sample(0, 5_009_000_000L, main, deep, 10_101_010, WalkOutcome.NO_CFI);
            writer.threadName(main, 5_020_000_000L, "main2");
            writer.sample(0, 5_030_000_000L, main, kernel, 10_101_011, WalkOutcome.TRUNCATED);
            writer.flush();
            writer.symbol(table.frame(NATIVE), "memcpy");
            writer.ledger(ledger());
        }
    }

    private static Ledger ledger() {
        var ledger = Ledger.builder("perf per thread", 99).durationNanos(30_000_000).addLost(2).procCpuNanos(31_000_000)
                .addSupersededFrames(5).note("a note").note("another").alarm("an alarm");
        ledger.sample(WalkOutcome.COMPLETE, 10_101_010);
        ledger.sample(WalkOutcome.NO_CFI, 10_101_010);
        ledger.sample(WalkOutcome.TRUNCATED, 10_101_011);
        return ledger.build();
    }

    private static byte[] capture() throws IOException {
        var out = new ByteArrayOutputStream();
        write(Channels.newChannel(out));
        return out.toByteArray();
    }

    private static Profile read(byte[] bytes) throws IOException, BadCapture {
        return CaptureReader.read(new ByteArrayInputStream(bytes));
    }

    @Test
    void captureIsReadableByTheOwnerOnly(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("x.mayfly");
        CaptureWriter.create(file, recording()).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        Path there = Files.createFile(folder.resolve("y.mayfly"));
        Files.setPosixFilePermissions(there, PosixFilePermissions.fromString("rw-r--r--"));
        CaptureWriter.create(there, recording()).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(there))).isEqualTo("rw-------");
    }

    @Test
    void certaintyOfAFrameIsReadBack() throws Exception {
        var out = new ByteArrayOutputStream();
        var table = new StackTable();
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            int stack = StackTable.NO_FRAMES;
            for (Frame.Certainty certainty : Frame.Certainty.values()) {
                stack = table.stack(stack, table.frame(new Frame.Managed(R1, "java", "inlined", "", "a.Main", "run",
                        "()V", 3, 17, "", certainty)));
            }
            writer.append(table);
            int main = writer.thread(43, 1234, 5_000_000_100L, "main");
            writer.sample(0, 5_010_000_000L, main, stack, 10_101_010, WalkOutcome.COMPLETE);
            writer.ledger(Ledger.builder("perf", 99).count(WalkOutcome.COMPLETE, 1).addInferredLeaves(1).build());
        }
        Profile profile = read(out.toByteArray());
        assertThat(profile.stack(0).frames()).extracting(frame -> ((Frame.Managed) frame).certainty())
                .containsExactly(Frame.Certainty.values());
        assertThat(profile.ledger().inferredLeaves()).isEqualTo(1);
    }

    @Test
    void captureIsReadBackAsWritten() throws Exception {
        Profile profile = read(capture());
        assertThat(profile.recording()).isEqualTo(recording());
        assertThat(profile.ledger()).isEqualTo(ledger());
        assertThat(profile.warnings()).isEmpty();
        assertThat(profile.threads()).containsExactly(new SampledThread(43, 1234, List.of(
                new SampledThread.Name(5_000_000_100L, "main"), new SampledThread.Name(5_020_000_000L, "main2"))));
        var memcpy = new Frame.Native("libc.so.6", 0xFFFF_FFFF_8000_0000L, "memcpy", false);
        assertThat(profile.stack(0)).isEqualTo(new Stack(List.of(RUN), WalkOutcome.COMPLETE));
        assertThat(profile.stack(1)).isEqualTo(new Stack(List.of(RUN, STUB, memcpy), WalkOutcome.NO_CFI));
        assertThat(profile.stack(2)).isEqualTo(new Stack(List.of(RUN, LOOP, KERNEL), WalkOutcome.TRUNCATED));
        assertThat(profile.sample(1)).isEqualTo(new Sample(5_009_000_000L, 0, 3, 10_101_010, WalkOutcome.NO_CFI));
    }

    @Test
    void captureTruncatedAnywhereIsReadable() throws Exception {
        byte[] whole = capture();
        int lastCount = 0;
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            try {
                Profile profile = read(cut);
                assertThat(profile.warnings()).as("cut at %d", length).isNotEmpty();
                assertThat(profile.ledger().cutShort() || profile.sampleCount() == 3).isTrue();
                assertThat(profile.ledger().samples()).isEqualTo(profile.sampleCount());
                assertThat(profile.sampleCount()).isGreaterThanOrEqualTo(lastCount);
                lastCount = profile.sampleCount();
            } catch (BadCapture e) {
                assertThat(lastCount).as("no sample may be lost again by reading more").isZero();
            }
        }
        assertThat(lastCount).isEqualTo(3);
    }

    @Test
    @Tag("slow")
    void damagedCaptureIsRefusedOrWarnedAbout() throws Exception {
        byte[] whole = capture();
        for (long seed = 0; seed < 20_000; seed++) {
            var random = new SplittableRandom(seed);
            byte[] bytes = whole.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                Profile profile = read(bytes);
                boolean same = Arrays.equals(whole, 0, 12, bytes, 0, 12)
                        && Arrays.equals(whole, 16, whole.length, bytes, 16, bytes.length);
                assertThat(profile.warnings().isEmpty()).as("seed %d", seed).isEqualTo(same);
            } catch (BadCapture e) {
                assertThat(e.getMessage()).as("seed %d", seed).isNotBlank();
            }
        }
    }

    /** The same with corrected checksums, so that the records themselves are invalid. */
    @Test
    @Tag("slow")
    void invalidRecordsWithValidChecksumsEndTheReading() throws Exception {
        byte[] whole = capture();
        for (long seed = 0; seed < 20_000; seed++) {
            var random = new SplittableRandom(seed);
            byte[] bytes = whole.clone();
            bytes[24 + random.nextInt(bytes.length - 24)] = (byte) random.nextInt();
            repair(bytes);
            try {
                Profile profile = read(bytes);
                for (int i = 0; i < profile.sampleCount(); i++) {
                    assertThat(profile.stack(i).frames()).as("seed %d", seed).hasSizeLessThan(10);
                }
                profile.ledger().rows();
            } catch (BadCapture e) {
                assertThat(e.getMessage()).as("seed %d", seed).isNotBlank();
            }
        }
    }

    private static void repair(byte[] bytes) {
        ByteBuffer view = ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        int at = CaptureFormat.HEADER_BYTES;
        while (at + 8 <= bytes.length) {
            int length = view.getInt(at);
            if (length <= 0 || length > bytes.length - at - 8) {
                return;
            }
            var crc = new java.util.zip.CRC32C();
            crc.update(bytes, at + 8, length);
            view.putInt(at + 4, (int) crc.getValue());
            at += 8 + length;
        }
    }

    @Test
    void otherFilesAndOtherVersionsAreRefused() throws Exception {
        assertThatThrownBy(() -> read("PK\3\4 a zip file, not ours".getBytes())).isInstanceOf(BadCapture.class)
                .hasMessageContaining("not a mayfly capture");
        byte[] other = capture();
        other[8] = 1;
        assertThatThrownBy(() -> read(other)).isInstanceOf(BadCapture.class)
                .hasMessage("capture version 1, written by an older Mayfly; record again");
        other[8] = 3;
        assertThatThrownBy(() -> read(other)).isInstanceOf(BadCapture.class).hasMessageContaining("version 3");
    }

    @Test
    void fullDiskFailsEveryLaterWrite() throws Exception {
        var full = new WritableByteChannel() {
            private int room = 1000;

            @Override
            public int write(ByteBuffer from) throws IOException {
                if (from.remaining() > room) {
                    throw new IOException("No space left on device");
                }
                int count = from.remaining();
                room -= count;
                from.position(from.limit());
                return count;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
        try (var writer = new CaptureWriter(full, recording())) {
            writer.thread(1, 0, 0, "x".repeat(2000));
            assertThatThrownBy(writer::flush).isInstanceOf(CaptureWriteException.class)
                    .hasMessage("No space left on device");
            assertThatThrownBy(() -> writer.sample(0, 0, 0, 0, 1, WalkOutcome.COMPLETE))
                    .isInstanceOf(CaptureWriteException.class);
        }
    }

    @Test
    void longNameIsTruncatedAtACharacter() throws Exception {
        var out = new ByteArrayOutputStream();
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            for (int i = 0; i < 8; i++) {
                writer.thread(1, 0, 0, "a".repeat(i) + "é€".repeat(40_000));
            }
        }
        for (SampledThread thread : read(out.toByteArray()).threads()) {
            assertThat(thread.name()).endsWith("…").doesNotContain("\uFFFD").hasSizeGreaterThan(6000);
        }
    }

    @Test
    void manyBlocksKeepTheirOrder() throws Exception {
        var out = new ByteArrayOutputStream();
        var random = new SplittableRandom(1);
        var table = new StackTable();
        int count = 50_000;
        int[] stacks = new int[count];
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            writer.thread(1, 0, 0, "main");
            for (int i = 0; i < count; i++) {
                int stack = 0;
                for (int depth = random.nextInt(1, 6); depth > 0; depth--) {
                    stack = table.stack(stack, table.frame(new Frame.Stub(R1, "s" + random.nextInt(30))));
                }
                stacks[i] = stack;
                writer.append(table);
                writer.sample(0, i * 1000L, 0, stack, -i, WalkOutcome.values()[i % 15]);
            }
        }
        Profile profile = read(out.toByteArray());
        assertThat(profile.sampleCount()).isEqualTo(count);
        for (int i = 0; i < count; i++) {
            assertThat(profile.sample(i)).isEqualTo(new Sample(i * 1000L, 0, stacks[i], -i,
                    WalkOutcome.values()[i % 15]));
        }
        assertThat(Captured.again(profile).stackCount()).isEqualTo(table.stackCount());
    }

    @Test
    void evictedStacksAreWrittenAgain() throws Exception {
        var frames = new Frame[300];
        Arrays.setAll(frames, i -> new Frame.Stub(R1, "s" + i));
        var table = new StackTable();
        int samples = StackTable.MAX_STACKS / 2 * 3; // a new stack each, except for every eighth
        var out = new ByteArrayOutputStream();
        int first = 0;
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            writer.thread(1, 0, 0, "main");
            for (int i = 0; i < samples; i++) {
                int stack = table.intern(leafFirst(frames, i), 3);
                writer.append(table);
                writer.sample(0, i, 0, stack, 1, WalkOutcome.COMPLETE);
                first = i == 0 ? stack : first;
            }
        }
        Profile profile = read(out.toByteArray());
        assertThat(profile.sampleCount()).isEqualTo(samples);
        for (int i = 0; i < samples; i++) {
            assertThat(profile.stack(i).frames()).isEqualTo(Arrays.asList(leafFirst(frames, i)).reversed());
        }
        assertThat(profile.stackOf(8)).isEqualTo(first);
        assertThat(profile.stackOf(samples - 8)).as("known only since the last time stacks were forgotten")
                .isGreaterThan(StackTable.MAX_STACKS).isEqualTo(profile.stackOf(samples - 16));
    }

    @Test
    void sumsHaveEachDistinctStackOnceWithItsTotals() throws Exception {
        var out = new ByteArrayOutputStream();
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            writer.thread(1, 0, 0, "main");
            writer.thread(2, 0, 0, "other");
            int frame = writer.frame(STUB);
            for (int i = 0; i < 4; i++) {
                int stack = writer.stack(writer.stack(0, frame), frame); // the same under new ids
                writer.sample(0, i, i % 2, stack, i - 1, WalkOutcome.COMPLETE);
            }
            writer.sample(0, 5, 0, 2, 7, WalkOutcome.NO_CFI);
        }
        Profile sums = CaptureReader.read(new ByteArrayInputStream(out.toByteArray()), Detail.SUMS);
        assertThat(sums.isSummed()).isTrue();
        assertThat(sums.hasSameValues()).isFalse();
        assertThat(sums.stackCount()).isEqualTo(3);
        assertThat(sums.sampleCount()).isEqualTo(3);
        assertThat(sums.sample(0)).isEqualTo(new Sample(0, 0, 2, 1, WalkOutcome.COMPLETE));
        assertThat(sums.sample(1)).isEqualTo(new Sample(0, 1, 2, 2, WalkOutcome.COMPLETE));
        assertThat(sums.sample(2)).isEqualTo(new Sample(0, 0, 2, 7, WalkOutcome.NO_CFI));
        assertThat(sums.countOf(0)).isEqualTo(2);
        assertThat(sums.stack(1).frames()).containsExactly(STUB, STUB);
        assertThat(sums.ledger().samples()).isEqualTo(5);
        assertThatThrownBy(() -> Captures.write(sums, new ByteArrayOutputStream()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void summaryCountsWithoutKeepingTheCapture() throws Exception {
        CaptureSummary whole = CaptureReader.summary(new ByteArrayInputStream(capture()));
        assertThat(whole.recording()).isEqualTo(recording());
        assertThat(whole.warnings()).isEmpty();
        assertThat(whole).returns(5L, CaptureSummary::frames).returns(5L, CaptureSummary::stacks)
                .returns(5L, CaptureSummary::distinctStacks).returns(1L, CaptureSummary::threads)
                .returns(3L, CaptureSummary::samples).returns(3L, CaptureSummary::distinctSamples);
        CaptureSummary cut = CaptureReader.summary(new ByteArrayInputStream(Arrays.copyOf(capture(), 600)));
        assertThat(cut.warnings()).isNotEmpty();
    }

    @Test
    void summaryEstimatesDistinctStacks() throws Exception {
        var out = new ByteArrayOutputStream();
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            writer.thread(1, 0, 0, "main");
            for (int i = 0; i < 1000; i++) {
                writer.frame(new Frame.Stub(R1, "s" + i));
            }
            for (int i = 0; i < 300_000; i++) {
                int stack = writer.stack(writer.stack(0, i % 100), i / 100 % 1000);
                writer.sample(0, i, 0, stack, 1, WalkOutcome.COMPLETE);
            }
        }
        CaptureSummary summary = CaptureReader.summary(new ByteArrayInputStream(out.toByteArray()));
        Profile profile = CaptureReader.read(new ByteArrayInputStream(out.toByteArray()), Detail.SUMS);
        assertThat(summary.stacks()).isEqualTo(600_000);
        assertThat(profile.stackCount() - 1).isEqualTo(100_100);
        assertThat((double) summary.distinctStacks()).isBetween(90_000.0, 110_000.0);
        assertThat(profile.sampleCount()).isEqualTo(100_000);
        assertThat((double) summary.distinctSamples()).isBetween(90_000.0, 110_000.0);
    }

    @Test
    void boundedBackReferencesReadTheSameProfile() throws Exception {
        var out = new ByteArrayOutputStream();
        var random = new SplittableRandom(2);
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            writer.thread(1, 0, 0, "main");
            int frame = writer.frame(STUB);
            int other = writer.frame(RUN);
            int last = 0;
            for (int i = 0; i < 5000; i++) {
                int parent = i % 9 == 0 ? 0 : Math.max(0, last - random.nextInt(300));
                last = writer.stack(parent, random.nextBoolean() ? frame : other);
                writer.sample(0, i, 0, Math.max(0, last - random.nextInt(300)), 1, WalkOutcome.COMPLETE);
            }
        }
        int reach = CaptureReader.summary(new ByteArrayInputStream(out.toByteArray())).reach();
        assertThat(reach).isBetween(250, 301);
        Profile all = CaptureReader.read(new ByteArrayInputStream(out.toByteArray()), Detail.SUMS);
        Profile same = CaptureReader.read(new ByteArrayInputStream(out.toByteArray()), Detail.SUMS, reach);
        assertThat(same.sampleCount()).isEqualTo(all.sampleCount());
        for (int i = 0; i < all.sampleCount(); i++) {
            assertThat(same.stack(i)).isEqualTo(all.stack(i));
            assertThat(same.countOf(i)).isEqualTo(all.countOf(i));
        }
        assertThat(CaptureReader.read(new ByteArrayInputStream(out.toByteArray()), Detail.SUMS, 20).warnings().toString())
                .contains("further back than the file was said to refer");
    }

    private static byte[] severalEvents() throws IOException {
        var cpu = new SampledEvent("cpu", Unit.NANOSECONDS, 99);
        var alloc = new SampledEvent("alloc", Unit.BYTES, 0, 1 << 20, List.of(Measure.BYTES, Measure.COUNT));
        var recording = new Recording(42, "java a.Main", "a.Main", List.of(), List.of(cpu, alloc), "several", "6.12", 4,
                0, 5_000_000_000L);
        var out = new ByteArrayOutputStream();
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording)) {
            writer.identifyLibraries(library -> library.equals("libc.so.6") ? "c0ffee" : "");
            int stack = writer.stack(0, writer.frame(NATIVE));
            int other = writer.stack(0, writer.frame(new Frame.Native("libz.so.1", 7, "inflate", false)));
            int thread = writer.thread(43, 0, 5_000_000_000L, "main");
            writer.sample(0, 5_000_000_010L, thread, stack, 10, WalkOutcome.COMPLETE);
            writer.sample(1, 5_000_000_020L, thread, other, new long[] {4096, 2}, WalkOutcome.COMPLETE);
            int offCpu = writer.event(new SampledEvent("off-cpu", Unit.NANOSECONDS, 0, 0,
                    List.of(Measure.DURATION, Measure.STATE)));
            writer.runtime(new RecordedRuntime(new RuntimeId(2), "CPython", "", "3.13.0"));
            writer.sample(offCpu, 5_000_000_030L, thread, stack, new long[] {-7, writer.word("blocked")},
                    WalkOutcome.NO_CFI);
            writer.sample(offCpu, 5_000_000_040L, thread, stack, new long[] {9, 0}, WalkOutcome.COMPLETE);
            assertThatThrownBy(() -> writer.sample(1, 0, thread, stack, 1, WalkOutcome.COMPLETE))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 measures");
            writer.ledger(Ledger.builder("several", 99).count(WalkOutcome.COMPLETE, 3).count(WalkOutcome.NO_CFI, 1)
                    .build());
        }
        return out.toByteArray();
    }

    private static Profile read(byte[] bytes, Detail detail, String event) throws IOException, BadCapture {
        return CaptureReader.read(new ByteArrayInputStream(bytes), detail, CaptureReader.ANY_REACH, event);
    }

    @Test
    void eventsOfOneFileAreReadOneByOneWithTheirMeasures() throws Exception {
        byte[] bytes = severalEvents();
        Profile cpu = read(bytes);
        assertThat(cpu.warnings()).isEmpty();
        assertThat(cpu.event().name()).isEqualTo("cpu");
        assertThat(cpu.recording().events()).extracting(SampledEvent::name).containsExactly("cpu", "alloc", "off-cpu");
        assertThat(cpu.recording().runtimes()).extracting(RecordedRuntime::line).containsExactly("r2 CPython 3.13.0");
        assertThat(cpu.sampleCount()).isEqualTo(1);
        assertThat(cpu.libraries()).containsExactly(new RecordedLibrary("libc.so.6", "c0ffee"),
                new RecordedLibrary("libz.so.1", ""));
        Profile alloc = read(bytes, Detail.EVERY_SAMPLE, "alloc");
        assertThat(alloc.event()).isEqualTo(new SampledEvent("alloc", Unit.BYTES, 0, 1 << 20,
                List.of(Measure.BYTES, Measure.COUNT)));
        assertThat(alloc.sample(0)).isEqualTo(new Sample(5_000_000_020L, 0, 2, 4096, WalkOutcome.COMPLETE));
        assertThat(alloc.valueOf(0, Measure.COUNT)).isEqualTo(2);
        assertThatThrownBy(() -> alloc.stateOf(0)).isInstanceOf(IllegalArgumentException.class);
        Profile offCpu = read(bytes, Detail.EVERY_SAMPLE, "off-cpu");
        assertThat(offCpu.valueOf(0, Measure.DURATION)).isEqualTo(-7);
        assertThat(offCpu.stateOf(0)).isEqualTo("blocked");
        assertThat(offCpu.stateOf(1)).isEmpty();
        assertThat(offCpu.outcomeOf(0)).isEqualTo(WalkOutcome.NO_CFI);
        Profile sums = read(bytes, Detail.SUMS, "off-cpu");
        assertThat(sums.sampleCount()).as("one for each outcome").isEqualTo(2);
        assertThatThrownBy(() -> sums.stateOf(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> read(bytes, Detail.SUMS, "lock")).isInstanceOf(BadCapture.class)
                .hasMessage("the capture has no event lock, only cpu, alloc, off-cpu");
    }

    @Test
    void aProfileIsWrittenAsACaptureOfItsEvent() throws Exception {
        Profile offCpu = read(severalEvents(), Detail.EVERY_SAMPLE, "off-cpu");
        Profile again = Captured.again(offCpu);
        assertThat(again.recording().events()).containsExactly(offCpu.event());
        assertThat(again.libraries()).isEqualTo(offCpu.libraries());
        assertThat(again.stateOf(0)).isEqualTo("blocked");
        assertThat(again.valueOf(1)).isEqualTo(9);
        assertThat(again.stack(0)).isEqualTo(offCpu.stack(0));
    }

    @Test
    void samplesOfAnEventThatWasNotDeclaredEndTheReading() throws Exception {
        byte[] bytes = capture();
        int at = 0;
        while (bytes[at] != 64 || bytes[at + 1] < 8 || bytes[at + 1] > 20) {
            at++;
        }
        bytes[at] = 65;
        repair(bytes);
        assertThat(read(bytes).warnings().toString()).contains("event 1 of 1");
    }

    private static Frame[] leafFirst(Frame[] frames, int i) {
        int n = i % 8 == 0 ? 0 : i;
        return new Frame[] {frames[n % 300], frames[n / 300 % 300], frames[n / 90_000]};
    }

    private static final class Captured {
        static Profile again(Profile profile) throws IOException, BadCapture {
            var out = new ByteArrayOutputStream();
            Captures.write(profile, out);
            return read(out.toByteArray());
        }
    }
}
