package mayfly.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import mayfly.profile.capture.CaptureRecord;
import mayfly.profile.capture.CaptureTail;
import mayfly.profile.capture.CaptureWriter;
import mayfly.profile.capture.records.CaptureFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureTailTest {
    private static final Frame NATIVE = new Frame.Native("libc.so.6", 0x1234, "", false);
    private static final Frame NAMED = new Frame.Native("libc.so.6", 0x1234, "memcpy", false);

    @TempDir
    private Path folder;

    private static Recording recording() {
        return new Recording(
                42,
                "java a.Main",
                "a.Main",
                List.of(),
                List.of(
                        new SampledEvent("cpu", Unit.NANOSECONDS, 99),
                        new SampledEvent("off-cpu", Unit.NANOSECONDS, 0, 0, List.of(Measure.DURATION, Measure.STATE))),
                "test",
                "6.12",
                4,
                0,
                1000);
    }

    /** Returns the records without the metadata with which every capture begins. */
    private static List<CaptureRecord> poll(CaptureTail tail) throws IOException, BadCapture {
        var records = new ArrayList<>(tail.poll());
        records.removeIf(CaptureRecord.Metadata.class::isInstance);
        return records;
    }

    private static byte[] whole() throws IOException {
        var out = new ByteArrayOutputStream();
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            int thread = writer.thread(43, 7, 1000, "main");
            int stack = writer.stack(0, writer.frame(NATIVE));
            for (int i = 0; i < 50; i++) {
                writer.sample(0, 1000 + i, thread, stack, i, WalkOutcome.COMPLETE);
                if (i % 10 == 9) {
                    writer.flush();
                }
            }
            writer.symbol(0, "memcpy");
            writer.ledger(
                    Ledger.builder("test", 99).count(WalkOutcome.COMPLETE, 50).build());
        }
        return out.toByteArray();
    }

    @Test
    void flushedRecordsAreReturnedOnce() throws Exception {
        Path file = folder.resolve("x.mayfly");
        try (CaptureWriter writer = CaptureWriter.create(file, recording());
                CaptureTail tail = CaptureTail.open(file)) {
            assertThat(poll(tail))
                    .containsExactly(
                            new CaptureRecord.NewEvent(0, recording().events().get(0)),
                            new CaptureRecord.NewEvent(1, recording().events().get(1)));
            int thread = writer.thread(43, 7, 1000, "main");
            int stack = writer.stack(0, writer.frame(NATIVE));
            writer.sample(0, 1010, thread, stack, 5, WalkOutcome.COMPLETE);
            assertThat(poll(tail)).as("not flushed").isEmpty();
            writer.flush();
            assertThat(poll(tail))
                    .containsExactly(
                            new CaptureRecord.NewThread(0, 43, 7, 1000, "main"),
                            new CaptureRecord.NewLibrary(new RecordedLibrary("libc.so.6", "")),
                            new CaptureRecord.NewFrame(0, NATIVE),
                            new CaptureRecord.NewStack(1, 0, 0),
                            new CaptureRecord.Sample(0, 1010, 0, 1, WalkOutcome.COMPLETE, 5, Map.of()));
            assertThat(poll(tail)).isEmpty();
            writer.threadName(thread, 1020, "worker");
            writer.runtime(new RecordedRuntime(new RuntimeId(1), "HotSpot", "", "25"));
            writer.sample(1, 1005, thread, 0, new long[] {3, writer.word("blocked")}, WalkOutcome.NO_CFI);
            writer.symbol(0, "memcpy");
            writer.flush();
            assertThat(poll(tail))
                    .containsExactly(
                            new CaptureRecord.ThreadName(0, 1020, "worker"),
                            new CaptureRecord.NewRuntime(new RecordedRuntime(new RuntimeId(1), "HotSpot", "", "25")),
                            new CaptureRecord.Sample(
                                    1, 1005, 0, 0, WalkOutcome.NO_CFI, 3, Map.of(Measure.STATE, "blocked")),
                            new CaptureRecord.Symbol(0, NAMED));
            assertThat(tail.isEnded()).isFalse();
            Ledger ledger =
                    Ledger.builder("test", 99).count(WalkOutcome.COMPLETE, 2).build();
            Ledger other = Ledger.builder("other", 0)
                    .addLost(3)
                    .note("a note")
                    .alarm("an alarm")
                    .build();
            writer.ledgers(List.of(ledger, other));
            writer.flush();
            assertThat(poll(tail)).containsExactly(new CaptureRecord.End(List.of(ledger, other), List.of()));
            assertThat(tail.isEnded()).isTrue();
        }
    }

    /** A write(2) may write only a part of a block; the writer then writes the rest. */
    @Test
    void truncatedFileIsReadFurtherWhenTheRestIsAppended() throws Exception {
        byte[] whole = whole();
        Path file = Files.write(folder.resolve("whole.mayfly"), whole);
        List<CaptureRecord> all;
        try (CaptureTail tail = CaptureTail.open(file)) {
            all = tail.poll();
            assertThat(tail.isEnded()).isTrue();
        }
        assertThat(all).hasSizeGreaterThan(55);
        for (int cut = 0; cut < whole.length; cut++) {
            Path part = Files.write(folder.resolve("part.mayfly"), Arrays.copyOf(whole, cut));
            try (CaptureTail tail = CaptureTail.open(part);
                    FileChannel rest = FileChannel.open(part, StandardOpenOption.APPEND)) {
                var records = new ArrayList<>(tail.poll());
                assertThat(records.size()).as("cut at %d", cut).isLessThan(all.size());
                assertThat(tail.poll()).isEmpty();
                rest.write(ByteBuffer.wrap(whole, cut, whole.length - cut));
                records.addAll(tail.poll());
                assertThat(records).as("cut at %d", cut).isEqualTo(all);
                assertThat(tail.isEnded()).isTrue();
            }
        }
    }

    @Test
    void aLargeFileTakesSeveralPolls() throws Exception {
        Path file = folder.resolve("large.mayfly");
        try (CaptureWriter writer = CaptureWriter.create(file, recording())) {
            writer.thread(1, 0, 0, "main");
            for (int i = 0; i < 300_000; i++) {
                writer.sample(0, i, 0, 0, 1, WalkOutcome.COMPLETE);
            }
        }
        int polls = 0;
        long samples = 0;
        try (CaptureTail tail = CaptureTail.open(file)) {
            List<CaptureRecord> records = tail.poll();
            while (!records.isEmpty()) {
                polls++;
                samples += records.stream()
                        .filter(CaptureRecord.Sample.class::isInstance)
                        .count();
                records = tail.poll();
            }
        }
        assertThat(samples).isEqualTo(300_000);
        assertThat(polls).isBetween(2, 10);
    }

    @Test
    void damageIsReportedAfterTheRecordsBeforeIt() throws Exception {
        byte[] bytes = whole();
        bytes[bytes.length - 1] ^= 1;
        Path file = Files.write(folder.resolve("damaged.mayfly"), bytes);
        try (CaptureTail tail = CaptureTail.open(file)) {
            assertThat(tail.poll()).isNotEmpty();
            assertThatThrownBy(tail::poll).isInstanceOf(BadCapture.class).hasMessageContaining("checksum is wrong");
            assertThatThrownBy(tail::poll).isInstanceOf(BadCapture.class).hasMessageContaining("checksum is wrong");
        }
    }

    @Test
    void shortenedFileOldVersionAndForeignFileAreRefused() throws Exception {
        Path file = Files.write(folder.resolve("x.mayfly"), whole());
        try (CaptureTail tail = CaptureTail.open(file);
                var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            tail.poll();
            channel.truncate(CaptureFormat.HEADER_BYTES + 1);
            assertThatThrownBy(tail::poll).isInstanceOf(BadCapture.class).hasMessageContaining("became shorter");
        }
        Path old = Files.write(
                folder.resolve("old.mayfly"), "MAYFLY\r\n\1\0\0\0\0\0\0\0".getBytes(StandardCharsets.UTF_8));
        try (CaptureTail tail = CaptureTail.open(old)) {
            assertThatThrownBy(tail::poll).isInstanceOf(BadCapture.class).hasMessageContaining("record again");
        }
        Path zip = Files.writeString(folder.resolve("x.zip"), "PK");
        try (CaptureTail tail = CaptureTail.open(zip)) {
            assertThatThrownBy(tail::poll).isInstanceOf(BadCapture.class).hasMessageContaining("not a mayfly capture");
        }
    }
}
