package mayfly.attach.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import mayfly.attach.channel.HostRecord;
import mayfly.attach.channel.HostStatus;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.linux.sys.KernelClock;
import mayfly.linux.sys.Memfd;
import mayfly.profile.RuntimeId;
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
    /** The start addresses of the libraries of two JVMs. */
    private static final long FIRST = 0x7f00_1234_5000L;

    private static final long SECOND = 0x7f00_6789_a000L;

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

    private static Memfd memfd(long library, byte[] content) throws IOException {
        return Memfd.of(HostRecordFile.NAME + "%016x".formatted(library), content);
    }

    /** A record of a host in the first or second JVM, with the library of that JVM. */
    private static byte[] record(int runtime, long library) {
        ByteBuffer bytes = ByteBuffer.wrap(record(HostRecordFile.MAGIC)).order(ByteOrder.LITTLE_ENDIAN);
        return bytes.putInt(RecordOffset.RUNTIME, runtime)
                .putLong(RecordOffset.LIBRARY, library)
                .array();
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
            assertThat(process.hosts().isEmpty()).isTrue();
            assertThat(failure(() -> process.host(Optional.empty())).status()).isEqualTo(Status.NO_PROFILER);
            assertThat(failure(() -> process.hostIn(FIRST)).status()).isEqualTo(Status.NO_PROFILER);
        }
    }

    @Test
    void recordIsFoundUntilTheHostClosesIt() throws Exception {
        try (HostedProcess process = HostedProcess.open(PID)) {
            try (Memfd memfd = memfd(FIRST, record(HostRecordFile.MAGIC))) {
                assertThat(memfd.path()).isNotNull();
                assertThat(process.host(Optional.empty()).state()).isEqualTo(HostRecord.State.ACTIVE);
            }
            assertThat(process.hosts().isEmpty()).isTrue();
        }
    }

    @Test
    void hostOfEachJvmIsFoundByTheIdAndTheLibraryOfItsJvm() throws Exception {
        try (HostedProcess process = HostedProcess.open(PID);
                Memfd first = memfd(FIRST, record(1, FIRST));
                Memfd second = memfd(SECOND, record(2, SECOND))) {
            assertThat(List.of(first.path(), second.path())).doesNotHaveDuplicates();
            assertThat(process.host(Optional.of(new RuntimeId.Choice("r2"))).library())
                    .isEqualTo(SECOND);
            assertThat(process.hostIn(FIRST).runtime()).isEqualTo(1);
            AttachFailed ambiguous = failure(() -> process.host(Optional.empty()));
            assertThat(ambiguous)
                    .hasMessage("profilers are attached to r1 and r2 of process " + PID + ": --runtime chooses one");
            assertThat(ambiguous.refusal()).map(Refused::reason).contains(Reason.AMBIGUOUS);
        }
    }

    /** The JVM of the test is the first and only one, and the host is in another. */
    @Test
    void jvmWithoutAHostIsNotMistakenForOneWithAHost() throws Exception {
        try (HostedProcess process = HostedProcess.open(PID);
                Memfd second = memfd(SECOND, record(2, SECOND))) {
            assertThat(second.path()).isNotNull();
            assertThat(failure(() -> process.host(Optional.of(new RuntimeId.Choice("r1")))))
                    .hasMessage("no profiler is attached to r1 of process " + PID)
                    .extracting(AttachFailed::status)
                    .isEqualTo(Status.NO_PROFILER);
        }
    }

    @Test
    @Tag("slow")
    void recordThatIsNeverCompletedIsAFailureOfEveryRequest() throws Exception {
        try (Memfd memfd = memfd(FIRST, record("\0\0\0\0\0\0\0\0"))) {
            assertThat(memfd.path()).isNotNull();
            assertThat(failure(() -> ProfilerClient.status(PID)))
                    .hasMessageContaining("process " + PID + ": ")
                    .hasMessageContaining("being created");
        }
    }

    /** The name of the record's file identifies the JVM, whatever the format of the record. */
    @Test
    void recordOfANewerMayflyIsAFailureOfRequestsToItsJvmOnly() throws Exception {
        try (HostedProcess process = HostedProcess.open(PID);
                Memfd first = memfd(FIRST, record(1, FIRST));
                Memfd newer = memfd(SECOND, record("MAYFLY99"))) {
            assertThat(List.of(first.path(), newer.path())).doesNotHaveDuplicates();
            assertThat(process.host(Optional.of(new RuntimeId.Choice("r1"))).library())
                    .isEqualTo(FIRST);
            assertThat(process.hostIn(FIRST).runtime()).isEqualTo(1);
            assertThatThrownBy(() -> process.hostIn(SECOND))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("a newer Mayfly");
            assertThat(failure(() -> process.host(Optional.empty())))
                    .hasMessage("profilers are attached to a JVM whose host cannot be read and r1 of process " + PID
                            + ": --runtime chooses one");
            assertThat(ProfilerClient.statuses(PID).known())
                    .singleElement()
                    .extracting(HostStatus::runtime)
                    .isEqualTo("r1");
            assertThat(ProfilerClient.statuses(PID).unknown())
                    .singleElement()
                    .asString()
                    .contains("a newer Mayfly");
        }
    }

    @Test
    void onlyRecordOfANewerMayflyIsAFailureOfARequestWithoutAChoice() throws Exception {
        try (HostedProcess process = HostedProcess.open(PID);
                Memfd newer = memfd(SECOND, record("MAYFLY99"))) {
            assertThat(newer.path()).isNotNull();
            assertThatThrownBy(() -> process.host(Optional.empty())).hasMessageContaining("a newer Mayfly");
            assertThat(failure(() -> ProfilerClient.send(PID, new byte[1], Duration.ofSeconds(1))))
                    .hasMessageContaining("a newer Mayfly")
                    .extracting(AttachFailed::status)
                    .isEqualTo(Status.FAILED);
        }
    }

    @Test
    void hostWithARecordOfANewerMayflyIsNotAwaited() throws Exception {
        try (HostedProcess process = HostedProcess.open(PID);
                HostThread thread = HostThread.start();
                Memfd newer = memfd(SECOND, record("MAYFLY99"))) {
            assertThat(newer.path()).isNotNull();
            assertThat(thread.tid()).isPositive();
            process.awaitNoHost(FIRST, later(), WAITING);
            try (HostThread another = HostThread.start()) {
                assertThat(another.tid()).isPositive();
                assertThat(failure(() -> process.awaitNoHost(FIRST, soon(), WAITING)))
                        .hasMessage(WAITING);
            }
            assertThat(failure(() -> process.awaitNoHost(SECOND, soon(), WAITING)))
                    .hasMessage(WAITING);
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
                AttachFailed late = failure(() -> process.awaitNoHost(FIRST, soon(), WAITING));
                assertThat(late.status()).isEqualTo(Status.TIMEOUT);
                assertThat(late).hasMessage(WAITING);
            }
            assertThatCode(() -> process.awaitNoHost(FIRST, later(), WAITING)).doesNotThrowAnyException();
        }
    }

    @Test
    void threadOfAHostIsAwaited() throws Exception {
        try (HostedProcess process = HostedProcess.open(PID)) {
            try (HostThread thread = HostThread.start()) {
                assertThat(thread.tid()).isPositive();
                assertThat(failure(() -> process.awaitNoHost(FIRST, soon(), WAITING))
                                .status())
                        .isEqualTo(Status.TIMEOUT);
            }
            process.awaitNoHost(FIRST, later(), WAITING);
        }
    }

    @Test
    void libraryAndThreadOfAnotherJvmsHostAreNotAwaited() throws Exception {
        try (HostedProcess process = HostedProcess.open(PID);
                HostThread thread = HostThread.start();
                Memfd library = Memfd.of("mayfly-library", new byte[4096]);
                FileChannel file = FileChannel.open(Path.of(library.path()), StandardOpenOption.READ);
                Arena arena = Arena.ofShared()) {
            long code = file.map(FileChannel.MapMode.READ_ONLY, 0, 4096, arena).address();
            byte[] record = ByteBuffer.wrap(record(2, SECOND))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(RecordOffset.CODE, code)
                    .putInt(RecordOffset.THREAD, thread.tid())
                    .array();
            try (Memfd second = memfd(SECOND, record)) {
                assertThat(second.path()).isNotNull();
                process.awaitNoHost(FIRST, later(), WAITING);
                assertThat(failure(() -> process.awaitNoHost(SECOND, soon(), WAITING))
                                .status())
                        .isEqualTo(Status.TIMEOUT);
            }
        }
    }

    /** A thread with the name of a host's thread, until it is closed. */
    private record HostThread(Thread thread, CountDownLatch end, int tid) implements AutoCloseable {
        static HostThread start() throws Exception {
            var running = new CountDownLatch(1);
            var end = new CountDownLatch(1);
            var tid = new AtomicInteger();
            Thread thread = Thread.ofPlatform().name("Mayfly host").start(() -> {
                try {
                    // The target of the link is PID/task/TID.
                    tid.set(Integer.parseInt(Files.readSymbolicLink(Path.of("/proc/thread-self"))
                            .getFileName()
                            .toString()));
                    running.countDown();
                    end.await();
                } catch (InterruptedException | IOException e) {
                    running.countDown();
                }
            });
            running.await();
            return new HostThread(thread, end, tid.get());
        }

        @Override
        public void close() {
            end.countDown();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
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
