package mayfly.attach.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostRecord;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.DetachRequest.Collections;
import mayfly.profile.RuntimeId;
import mayfly.wire.message.DetachFlag;
import mayfly.wire.message.MessageSize;
import mayfly.wire.message.MessageType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The requests of {@link ProfilerClient}, to a scripted host. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostRequestsTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final byte[] OK = ScriptedHost.result(Status.OK, "");

    @TempDir
    private Path folder;

    private final ScriptedTarget target = new ScriptedTarget();
    private final HostRequests requests = new HostRequests(target::open);

    @BeforeEach
    void attachProfiler() {
        target.host = ScriptedTarget.record(HostRecord.State.ACTIVE, "");
    }

    private ScriptedHost host(byte[]... answers) throws IOException {
        var host = new ScriptedHost(folder, message -> List.of(answers));
        target.socket = host.socket();
        return host;
    }

    private static AttachFailed failure(ThrowingCallable call) {
        AttachFailed failed = catchThrowableOfType(AttachFailed.class, call);
        assertThat(failed).isNotNull();
        return failed;
    }

    private AttachFailed failedCommand(byte[]... answers) throws IOException {
        try (ScriptedHost host = host(answers)) {
            AttachFailed failed =
                    failure(() -> requests.send(ScriptedTarget.PID, Optional.empty(), new byte[3], LIMIT));
            assertThat(host.received).hasSize(1);
            return failed;
        }
    }

    @Test
    void commandReachesTheHostAndItsReplyIsReturned() throws Exception {
        byte[] reply = {1, 2, 3};
        try (ScriptedHost host = host(ScriptedHost.message(MessageType.REPLY, reply))) {
            assertThat(requests.send(
                            ScriptedTarget.PID,
                            Optional.of(new RuntimeId.Choice("r1")),
                            "do it".getBytes(StandardCharsets.UTF_8),
                            LIMIT))
                    .isEqualTo(reply);
            assertThat(host.received).singleElement().satisfies(message -> {
                assertThat(message.type()).isEqualTo(MessageType.COMMAND);
                assertThat(message.content()).asString(StandardCharsets.UTF_8).isEqualTo("do it");
            });
            assertThat(target.steps).containsExactly("open 7", "host r1", "connect", "close");
        }
    }

    @Test
    void failureOfACommandHasTheStatusAndTheMessageOfTheHost() throws Exception {
        AttachFailed failed = failedCommand(ScriptedHost.result(Status.UNKNOWN_ID, "no thread 3"));
        assertThat(failed.status()).isEqualTo(Status.UNKNOWN_ID);
        assertThat(failed).hasMessage("no thread 3");
    }

    @Test
    void hostileAnswersAreFailures() throws Exception {
        byte[] endless = ByteBuffer.allocate(5)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(Integer.MAX_VALUE)
                .array();
        byte[] negative =
                ByteBuffer.allocate(5).order(ByteOrder.LITTLE_ENDIAN).putInt(-1).array();
        byte[] garbage = ScriptedHost.message(MessageType.EMIT, new byte[20]);
        byte[] cut = ScriptedHost.message(MessageType.RESULT, new byte[11]);
        byte[] longText = ScriptedHost.message(
                MessageType.RESULT,
                ByteBuffer.allocate(12)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(1)
                        .putInt(1000)
                        .array());
        for (byte[] hostile : List.of(endless, negative, garbage, cut, longText)) {
            assertThat(failedCommand(hostile).status()).isEqualTo(Status.FAILED);
        }
    }

    @Test
    void answerThatEndsEarlyMeansNoProfiler() throws Exception {
        assertThat(failedCommand().status()).isEqualTo(Status.NO_PROFILER);
    }

    @Test
    void answerThatDoesNotComeTimesOut() throws Exception {
        try (ScriptedHost host = host(ScriptedHost.SILENCE)) {
            assertThat(failure(() -> requests.send(ScriptedTarget.PID, Optional.empty(), new byte[3], SHORT))
                            .status())
                    .isEqualTo(Status.TIMEOUT);
            assertThat(host.socket()).exists();
        }
    }

    @Test
    void processWithoutAHostHasNoProfiler() throws Exception {
        target.host = null;
        assertThat(requests.status(ScriptedTarget.PID, Optional.empty())).isEmpty();
        assertThat(requests.statuses(ScriptedTarget.PID).known()).isEmpty();
        assertThat(failure(() -> requests.send(ScriptedTarget.PID, Optional.empty(), new byte[3], LIMIT))
                        .status())
                .isEqualTo(Status.NO_PROFILER);
    }

    @Test
    void statusIsReadWithoutAConnection() throws Exception {
        target.host = ScriptedTarget.record(HostRecord.State.PINNED, "a thread");
        assertThat(requests.status(ScriptedTarget.PID, Optional.empty()))
                .get()
                .extracting(HostStatus::pinnedBy)
                .isEqualTo("a thread");
        assertThat(target.steps).containsExactly("open 7", "host", "close");
    }

    @Test
    void tooLongCommandAndReasonAreNotSent() throws Exception {
        assertThat(failure(() -> requests.send(
                        ScriptedTarget.PID, Optional.empty(), new byte[MessageSize.MAX_COMMAND + 1], LIMIT)))
                .hasMessageContaining("at most 16777216 bytes");
        assertThat(failure(() -> requests.detach(new DetachRequest(ScriptedTarget.PID, "x".repeat(40_000), LIMIT))))
                .hasMessageContaining("at most 32768 bytes");
        assertThat(target.steps).doesNotContain("connect");
    }

    @ParameterizedTest
    @CsvSource({
        "ASK,IF_SHORT,0",
        "ASK,ALWAYS," + DetachFlag.COLLECT,
        "FORCE,IF_SHORT," + DetachFlag.FORCE,
        "FORCE,ALWAYS," + (DetachFlag.FORCE | DetachFlag.COLLECT)
    })
    void modeAndCollectionsOfADetachAreFlagsOfItsRequest(DetachMode mode, Collections collections, int flags)
            throws Exception {
        var request = new DetachRequest(ScriptedTarget.PID, mode, collections, "why", LIMIT);
        try (ScriptedHost host = host(OK, ScriptedHost.gone(5, 1, 0))) {
            requests.requestDetach(request);
            requests.detach(request);
            assertThat(host.received).hasSize(2);
            assertThat(host.received.getFirst().content()).hasSize(4 + 3).endsWith('w', 'h', 'y');
            assertThat(host.received)
                    .extracting(message -> ByteBuffer.wrap(message.content())
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .getInt())
                    .containsExactly(flags, flags | DetachFlag.WAIT);
        }
    }

    @Test
    void detachEndsOnceNothingOfTheHostIsLeft() throws Exception {
        try (ScriptedHost host = host(OK, Files.readAllBytes(Path.of("../wire/src/test/golden/gone.bin")))) {
            DetachOutcome outcome = requests.detach(new DetachRequest(ScriptedTarget.PID, "why", LIMIT));
            assertThat(outcome.collecting()).isEqualTo(Duration.ofMillis(5));
            assertThat(outcome.collections()).isEqualTo(2);
            assertThat(outcome.remainingClasses()).isTrue();
            assertThat(target.steps).containsExactly("open 7", "host", "connect", "await no host in 1000", "close");
            assertThat(host.received).hasSize(1);
        }
    }

    @Test
    void detachAnsweredBySomethingElseFails() throws Exception {
        for (byte[] hostile : List.of(
                ScriptedHost.message(MessageType.GONE, new byte[11]),
                ScriptedHost.message(MessageType.REPLY, new byte[16]))) {
            try (ScriptedHost host = host(OK, hostile)) {
                AttachFailed failed =
                        failure(() -> requests.detach(new DetachRequest(ScriptedTarget.PID, "why", LIMIT)));
                assertThat(failed).hasMessageContaining("is not understood");
                assertThat(host.received).hasSize(1);
            }
        }
    }

    @Test
    void detachInProgressIsAwaited() throws Exception {
        try (ScriptedHost host = host(ScriptedHost.result(Status.PROFILER_DETACHING, "already"))) {
            DetachOutcome outcome = requests.detach(new DetachRequest(ScriptedTarget.PID, "why", LIMIT));
            assertThat(outcome.collections()).isEqualTo(DetachOutcome.NOT_KNOWN);
            assertThat(target.steps).containsExactly("open 7", "host", "connect", "await no host in 1000", "close");
            target.staysLoaded = true;
            target.host = ScriptedTarget.record(HostRecord.State.PINNED, "a thread");
            assertThat(failure(() -> requests.detach(new DetachRequest(ScriptedTarget.PID, "why", LIMIT))))
                    .hasMessageContaining("; now that is a thread");
            assertThat(host.received).hasSize(2);
        }
    }

    @Test
    void detachThatTimesOutNamesTheReasonByTheStateOfItsRequest() throws Exception {
        try (ScriptedHost host = host(ScriptedHost.SILENCE)) {
            AttachFailed unanswered =
                    failure(() -> requests.detach(new DetachRequest(ScriptedTarget.PID, "why", SHORT)));
            assertThat(unanswered.status()).isEqualTo(Status.TIMEOUT);
            assertThat(unanswered).hasMessageContaining("; now its host does not answer");
            assertThat(host.received).hasSize(1);
        }
        try (ScriptedHost host = host(OK)) {
            AttachFailed accepted = failure(() -> requests.detach(new DetachRequest(ScriptedTarget.PID, "why", SHORT)));
            assertThat(accepted).hasMessageContaining("; now it is still active");
            assertThat(host.received).hasSize(1);
        }
    }
}
