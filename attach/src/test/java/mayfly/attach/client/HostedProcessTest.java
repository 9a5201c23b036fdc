package mayfly.attach.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import mayfly.attach.channel.HostRecord;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.linux.sys.KernelClock;
import mayfly.linux.sys.Memfd;
import mayfly.wire.HostRecordFile;
import mayfly.wire.RecordOffset;
import mayfly.wire.life.HostState;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rules about hosts. The process is that of the test, with what a host leaves in a process. */
class HostedProcessTest {
    private static final int PID = Math.toIntExact(ProcessHandle.current().pid());
    private static final String WAITING = "it is still there";

    private static AttachFailed failure(ThrowingCallable call) {
        AttachFailed failed = catchThrowableOfType(AttachFailed.class, call);
        assertThat(failed).isNotNull();
        return failed;
    }

    private static Deadline soon() {
        return Deadline.in(Duration.ofMillis(50));
    }

    private static Deadline later() {
        return Deadline.in(Duration.ofSeconds(30));
    }

    private static byte[] record(String magic) {
        ByteBuffer bytes = ByteBuffer.allocate(8192).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(0, magic.getBytes(StandardCharsets.US_ASCII));
        bytes.putInt(RecordOffset.STATE, HostState.ACTIVE);
        bytes.putLong(RecordOffset.ATTACHED_AT, KernelClock.BOOT.nanos());
        return bytes.array();
    }

    @Test
    void processThatDoesNotExistIsRefusedAsByOtherCommands() {
        assertThat(failure(() -> HostedProcess.open(Integer.MAX_VALUE)).refusal())
                .map(Refused::reason)
                .contains(Reason.NO_SUCH_PROCESS);
    }

    @Test
    void processWithoutARecordHasNoProfiler() throws Exception {
        try (HostedProcess process = HostedProcess.open(PID)) {
            assertThat(process.host()).isEmpty();
            assertThat(failure(() -> process.channel(later())).status()).isEqualTo(Status.NO_PROFILER);
        }
    }

    @Test
    void recordIsFoundUntilTheHostClosesIt() throws Exception {
        try (HostedProcess process = HostedProcess.open(PID)) {
            try (Memfd memfd = Memfd.of("mayfly-host", record(HostRecordFile.MAGIC))) {
                assertThat(memfd.path()).isNotNull();
                assertThat(process.host()).get().extracting(HostRecord::state).isEqualTo(HostRecord.State.ACTIVE);
            }
            assertThat(process.host()).isEmpty();
        }
    }

    @Test
    @Tag("slow")
    void recordThatIsNeverCompletedIsAFailureOfEveryRequest() throws Exception {
        try (Memfd memfd = Memfd.of("mayfly-host", record("\0\0\0\0\0\0\0\0"))) {
            assertThat(memfd.path()).isNotNull();
            assertThat(failure(() -> ProfilerClient.status(PID)))
                    .hasMessageContaining("process " + PID + ": ")
                    .hasMessageContaining("being created");
        }
    }

    @Test
    void mappedLibraryOfAHostIsAwaited() throws Exception {
        try (HostedProcess process = HostedProcess.open(PID);
                Memfd memfd = Memfd.of("mayfly-library", new byte[4096])) {
            try (FileChannel file = FileChannel.open(Path.of(memfd.path()), StandardOpenOption.READ);
                    Arena arena = Arena.ofShared()) {
                assertThat(file.map(FileChannel.MapMode.READ_ONLY, 0, 4096, arena)
                                .byteSize())
                        .isEqualTo(4096);
                AttachFailed late = failure(() -> process.awaitNoHost(soon(), WAITING));
                assertThat(late.status()).isEqualTo(Status.TIMEOUT);
                assertThat(late).hasMessage(WAITING);
            }
            assertThatCode(() -> process.awaitNoHost(later(), WAITING)).doesNotThrowAnyException();
        }
    }

    @Test
    void threadOfAHostIsAwaited() throws Exception {
        var running = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        Thread thread = Thread.ofPlatform().name("Mayfly host").start(() -> {
            running.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try (HostedProcess process = HostedProcess.open(PID)) {
            running.await();
            assertThat(failure(() -> process.awaitNoHost(soon(), WAITING)).status())
                    .isEqualTo(Status.TIMEOUT);
            end.countDown();
            process.awaitNoHost(later(), WAITING);
        } finally {
            end.countDown();
            thread.join();
        }
    }

    @Test
    void errorAndRefusalOfALiveProcessKeepTheirStatus() throws Exception {
        try (HostedProcess process = HostedProcess.open(PID)) {
            AttachFailed failed = process.failed(Status.ATTACH_REFUSED, new IOException("denied"));
            assertThat(failed.status()).isEqualTo(Status.ATTACH_REFUSED);
            assertThat(failed).hasMessage("process " + PID + ": denied");
            var refused = new AttachFailed(Status.ATTACH_REFUSED, "no");
            assertThat(process.failed(refused)).isSameAs(refused);
        }
    }
}
