package mayfly.profile;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.CaptureWriter;
import mayfly.profile.capture.Captures;
import mayfly.profile.capture.records.CaptureFormat;

/** Captures for several tests. */
final class WrittenCaptures {
    static final RuntimeId R1 = new RuntimeId(1);
    static final Frame RUN = new Frame.Managed(R1, "java", "interpreted", "", "a.Main", "run", "()V", 3, 17);
    static final Frame LOOP = new Frame.Managed(R1, "java", "compiled", "C2", "a.Main", "loop", "(I)V", -1, -1);
    static final Frame STUB = new Frame.Stub(R1, "call_stub");
    static final Frame NATIVE = new Frame.Native("libc.so.6", 0xFFFF_FFFF_8000_0000L, "", false);
    static final Frame KERNEL = new Frame.Kernel(0, "do_syscall_64");

    static Recording recording() {
        return new Recording(
                42,
                "java a.Main ü",
                "a.Main",
                List.of(new RecordedRuntime(R1, "HotSpot", "", "25.0.1")),
                List.of(new SampledEvent("cpu", Unit.NANOSECONDS, 99)),
                "perf per thread",
                "6.12",
                4,
                1_700_000_000_000_000_000L,
                5_000_000_000L);
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

    static Ledger ledger() {
        var ledger = Ledger.builder("perf per thread", 99)
                .durationNanos(30_000_000)
                .addLost(2)
                .procCpuNanos(31_000_000)
                .addSupersededFrames(5)
                .note("a note")
                .note("another")
                .alarm("an alarm");
        ledger.sample(WalkOutcome.COMPLETE, 10_101_010);
        ledger.sample(WalkOutcome.NO_CFI, 10_101_010);
        ledger.sample(WalkOutcome.TRUNCATED, 10_101_011);
        return ledger.build();
    }

    static byte[] capture() throws IOException {
        var out = new ByteArrayOutputStream();
        write(Channels.newChannel(out));
        return out.toByteArray();
    }

    static Profile read(byte[] bytes) throws IOException, BadCapture {
        return CaptureReader.read(new ByteArrayInputStream(bytes));
    }

    static void repair(byte[] bytes) {
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

    static byte[] severalEvents() throws IOException {
        var cpu = new SampledEvent("cpu", Unit.NANOSECONDS, 99);
        var alloc = new SampledEvent("alloc", Unit.BYTES, 0, 1 << 20, List.of(Measure.BYTES, Measure.COUNT));
        var recording = new Recording(
                42, "java a.Main", "a.Main", List.of(), List.of(cpu, alloc), "several", "6.12", 4, 0, 5_000_000_000L);
        var out = new ByteArrayOutputStream();
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording)) {
            writer.identifyLibraries(library -> library.equals("libc.so.6") ? "c0ffee" : "");
            int stack = writer.stack(0, writer.frame(NATIVE));
            int other = writer.stack(0, writer.frame(new Frame.Native("libz.so.1", 7, "inflate", false)));
            int thread = writer.thread(43, 0, 5_000_000_000L, "main");
            writer.sample(0, 5_000_000_010L, thread, stack, 10, WalkOutcome.COMPLETE);
            writer.sample(1, 5_000_000_020L, thread, other, new long[] {4096, 2}, WalkOutcome.COMPLETE);
            int offCpu = writer.event(
                    new SampledEvent("off-cpu", Unit.NANOSECONDS, 0, 0, List.of(Measure.DURATION, Measure.STATE)));
            writer.runtime(new RecordedRuntime(new RuntimeId(2), "CPython", "", "3.13.0"));
            writer.sample(
                    offCpu, 5_000_000_030L, thread, stack, new long[] {-7, writer.word("blocked")}, WalkOutcome.NO_CFI);
            writer.sample(offCpu, 5_000_000_040L, thread, stack, new long[] {9, 0}, WalkOutcome.COMPLETE);
            assertThatThrownBy(() -> writer.sample(1, 0, thread, stack, 1, WalkOutcome.COMPLETE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1 measures");
            writer.ledger(Ledger.builder("several", 99)
                    .count(WalkOutcome.COMPLETE, 3)
                    .count(WalkOutcome.NO_CFI, 1)
                    .build());
        }
        return out.toByteArray();
    }

    static Profile read(byte[] bytes, Detail detail, String event) throws IOException, BadCapture {
        return CaptureReader.read(new ByteArrayInputStream(bytes), detail, CaptureReader.ANY_REACH, event);
    }

    /** Writes a profile as a capture and reads it. */
    static Profile again(Profile profile) throws IOException, BadCapture {
        var out = new ByteArrayOutputStream();
        Captures.write(profile, out);
        return read(out.toByteArray());
    }

    private WrittenCaptures() {}
}
