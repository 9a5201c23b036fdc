package mayfly.attach.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import mayfly.attach.client.DetachWait;
import mayfly.attach.client.DetachWait.Request;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.KernelClock;
import mayfly.linux.sys.Memfd;
import mayfly.wire.HostRecordFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Records, byte for byte as in docs/formats/host-channel.md. */
class HostRecordTest {
    private static final int STATE = 12;

    private static ByteBuffer record(int state) {
        ByteBuffer bytes = ByteBuffer.allocate(8192).order(ByteOrder.LITTLE_ENDIAN);
        put(bytes, 0, "MAYFLYH1");
        bytes.putInt(STATE, state);
        bytes.putLong(32, KernelClock.BOOT.nanos());
        put(bytes, 128, "/tmp/.mayfly-17-0011223344556677/s");
        put(bytes, 256, "com.example.Profiler");
        return bytes;
    }

    private static void put(ByteBuffer bytes, int at, String text) {
        bytes.put(at, text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void everyFieldOfTheRecordIsRead() throws IOException {
        ByteBuffer bytes = record(4);
        bytes.putLong(40, KernelClock.BOOT.nanos() - 2_000_000_000L);
        bytes.putLong(48, 1_000_000_000L);
        bytes.putLong(56, 3);
        bytes.putInt(64, 1);
        bytes.putLong(72, 5);
        put(bytes, 512, "thread \"x\"");
        slot(bytes, 0, 11, 5, 1_000_000);
        slot(bytes, 255, 12, 7, 90_000_000);
        HostStatus status = HostStatus.of(HostRecord.parse(bytes));
        assertThat(status.state()).isEqualTo("pinned");
        assertThat(status.profiler()).isEqualTo("com.example.Profiler");
        assertThat(status.overdue()).isTrue();
        assertThat(status.callbacks()).isEqualTo(3);
        assertThat(status.jvmti()).isTrue();
        assertThat(status.lost()).isEqualTo(5);
        assertThat(status.pinnedBy()).isEqualTo("thread \"x\"");
        assertThat(status.longest()).startsWith("classLoaded on thread 12 for ");
    }

    private static void slot(ByteBuffer bytes, int slot, int tid, int kind, long nanos) {
        bytes.putInt(4096 + 16 * slot, tid);
        bytes.putInt(4096 + 16 * slot + 4, kind);
        bytes.putLong(4096 + 16 * slot + 8, KernelClock.BOOT.nanos() - nanos);
    }

    @Test
    void detachThatWaitsNamesWhatItWaitsFor() throws IOException {
        assertThat(DetachWait.reason(HostRecord.parse(record(1)), Request.UNANSWERED))
                .contains("static initializer");
        assertThat(DetachWait.reason(HostRecord.parse(record(2)), Request.ACCEPTED))
                .contains("--force");
        assertThat(DetachWait.reason(HostRecord.parse(record(2)), Request.UNANSWERED))
                .contains("stopped", "descriptor");
        assertThat(DetachWait.reason(HostRecord.parse(record(3)), Request.ACCEPTED))
                .contains("collection");
        ByteBuffer starting = record(1);
        slot(starting, 0, 11, 0, 1_000_000);
        assertThat(DetachWait.reason(HostRecord.parse(starting), Request.UNANSWERED))
                .isEqualTo("its callback initializeForAttach is running on thread 11");
        ByteBuffer pinned = record(4);
        put(pinned, 512, "thread \"x\"");
        assertThat(DetachWait.reason(HostRecord.parse(pinned), Request.ACCEPTED))
                .isEqualTo("that is thread \"x\"");
    }

    @Test
    @Tag("slow")
    void recordInCreationIsReadOnceItIsComplete() throws Exception {
        try (Memfd memfd = Memfd.of(HostRecordFile.NAME + "00007f0012345000", new byte[8192]);
                LiveProcess us =
                        LiveProcess.open(Math.toIntExact(ProcessHandle.current().pid()))) {
            assertThatThrownBy(() -> HostRecords.of(us).all())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("being created");
            Thread maker = Thread.ofPlatform().start(() -> {
                try (var out = FileChannel.open(Path.of(memfd.path()), StandardOpenOption.WRITE)) {
                    ByteBuffer whole = record(2);
                    out.write(whole.slice(8, 8184), 8);
                    out.write(whole.slice(0, 8), 0);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            assertThat(HostRecords.of(us).all())
                    .singleElement()
                    .extracting(HostRecord::profiler)
                    .isEqualTo("com.example.Profiler");
            maker.join();
        }
        try (LiveProcess us =
                LiveProcess.open(Math.toIntExact(ProcessHandle.current().pid()))) {
            assertThat(HostRecords.of(us).isEmpty()).isTrue();
        }
    }

    @Test
    void textsWithoutTerminatingZeroAreRead() throws IOException {
        ByteBuffer bytes = record(2);
        put(bytes, 256, "x".repeat(256));
        put(bytes, 512, "y".repeat(1024));
        HostRecord record = HostRecord.parse(bytes);
        assertThat(record.profiler()).isEqualTo("x".repeat(256));
        assertThat(record.pinnedBy()).isEqualTo("y".repeat(1024));
    }

    @Test
    void invalidStateOrVersionIsRefusedAndInvalidCallbackIgnored() throws IOException {
        for (int state : new int[] {0, 5, -1, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> HostRecord.parse(record(state))).isInstanceOf(IOException.class);
        }
        for (int runtime : new int[] {-1, 10_000}) {
            ByteBuffer bad = record(1);
            bad.putInt(88, runtime);
            assertThatThrownBy(() -> HostRecord.parse(bad)).hasMessageContaining("invalid runtime: " + runtime);
        }
        ByteBuffer bytes = record(1);
        slot(bytes, 3, 11, 99, 1);
        slot(bytes, 4, 11, -1, 1);
        assertThat(HostRecord.parse(bytes).longest()).isEmpty();
        ByteBuffer other = record(1);
        put(other, 0, "MAYFLYH9");
        assertThatThrownBy(() -> HostRecord.parse(other))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("newer Mayfly");
        assertThatThrownBy(() -> HostRecord.parse(ByteBuffer.allocate(100).order(ByteOrder.LITTLE_ENDIAN)))
                .isInstanceOf(IOException.class);
    }
}
