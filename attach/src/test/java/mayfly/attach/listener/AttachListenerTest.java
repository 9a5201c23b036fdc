package mayfly.attach.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The attach listener of a scripted process, whose socket the test itself serves. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AttachListenerTest {
    private static final String REQUEST = "1\0load\0/tmp/lib.so\0true\0options\0";
    private static final int LARGE = 1 << 20;

    @TempDir
    private Path root;

    private ScriptedJvm jvm;

    @BeforeEach
    void open() throws Exception {
        jvm = new ScriptedJvm(root);
    }

    @AfterEach
    void close() {
        jvm.close();
    }

    private static Deadline later() {
        return Deadline.in(Duration.ofSeconds(30));
    }

    private static Deadline soon() {
        return Deadline.in(Duration.ofMillis(50));
    }

    private static AttachFailed failure(ThrowingCallable call) {
        AttachFailed failed = catchThrowableOfType(AttachFailed.class, call);
        assertThat(failed).isNotNull();
        return failed;
    }

    /** Answers one request with the given bytes, closes the connection, and returns the result of the load. */
    private int load(byte[] answer) throws Exception {
        try (ServerSocketChannel server = jvm.listen()) {
            var request = new CompletableFuture<String>();
            Thread.ofPlatform().daemon().start(() -> {
                try (SocketChannel client = server.accept()) {
                    ByteBuffer bytes = ByteBuffer.allocate(REQUEST.length());
                    while (bytes.hasRemaining() && client.read(bytes) >= 0) {
                        continue;
                    }
                    request.complete(new String(bytes.array(), StandardCharsets.UTF_8));
                    client.write(ByteBuffer.wrap(answer));
                } catch (IOException e) {
                    request.completeExceptionally(e);
                }
            });
            try {
                return AttachListener.of(jvm).load("/tmp/lib.so", "options", later());
            } finally {
                assertThat(request.get()).isEqualTo(REQUEST);
            }
        }
    }

    private int load(String answer) throws Exception {
        return load(answer.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource({"'0\nreturn code: 4242',4242", "'0\nreturn code: -2024',-2024", "return code: 0,0"})
    void returnCodeInTheAnswerIsTheResultOfTheLoad(String answer, int code) throws Exception {
        assertThat(load(answer)).isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource({
        "'102\n',102",
        "'100\nAgent_OnAttach is not available\n',100 Agent_OnAttach is not available",
        "'',it closed the connection",
        "return code: none,return code: none",
        "return co,return co"
    })
    void answerWithoutAReturnCodeIsARefusalWithItsWords(String answer, String words) {
        AttachFailed refused = failure(() -> load(answer));
        assertThat(refused.status()).isEqualTo(Status.ATTACH_REFUSED);
        assertThat(refused).hasMessage("the JVM did not load the host: " + words);
    }

    @Test
    void answerThatIsNotTextIsRefused() {
        assertThat(failure(() -> load(new byte[] {(byte) 0xff, 0, (byte) 0xc3, '\n', 0}))
                        .status())
                .isEqualTo(Status.ATTACH_REFUSED);
    }

    @Test
    void answerWithoutEndIsReadOnlyToItsLimit() {
        AttachFailed refused = failure(() -> load("x".repeat(LARGE)));
        assertThat(refused.status()).isEqualTo(Status.ATTACH_REFUSED);
        assertThat(refused.getMessage()).hasSizeLessThan(LARGE / 8);
    }

    @Test
    void emptyAnswerOfAnEndingProcessMeansItsEnd() {
        jvm.isEndNear = true;
        assertThat(failure(() -> load("")).refusal()).map(Refused::reason).contains(Reason.TARGET_GONE);
    }

    @Test
    void answerThatDoesNotComeTimesOut() throws Exception {
        try (ServerSocketChannel server = jvm.listen()) {
            AttachListener listener = AttachListener.of(jvm);
            assertThat(failure(() -> listener.load("/tmp/lib.so", "", soon())).status())
                    .isEqualTo(Status.TIMEOUT);
            assertThat(server.isOpen()).isTrue();
        }
    }

    @Test
    void markerExistsBeforeTheSignalAndIsRemovedOnceTheJvmListens() throws Exception {
        var server = new CompletableFuture<ServerSocketChannel>();
        jvm.onSignal = () -> server.complete(jvm.listen());
        AttachListener.of(jvm).start(later());
        assertThat(jvm.events).containsExactly("made", "signal 3 with the marker", "sent", "gone", "closed");
        assertThat(jvm.marker()).doesNotExist();
        server.get().close();
    }

    @Test
    void listenerThatRunsReceivesNoSignal() throws Exception {
        try (ServerSocketChannel server = jvm.listen()) {
            AttachListener listener = AttachListener.of(jvm);
            assertThat(listener.isListening()).isTrue();
            listener.start(later());
            assertThat(jvm.events).isEmpty();
            assertThat(server.isOpen()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/tmp", "/app"})
    void markerOfAnotherProcessIsWaitedForWithoutASignal(String directory) throws Exception {
        Path marker = Files.createFile(jvm.path(directory + "/.attach_pid" + ScriptedJvm.PID));
        AttachFailed late = failure(() -> AttachListener.of(jvm).start(soon()));
        assertThat(late.status()).isEqualTo(Status.TIMEOUT);
        assertThat(late).hasMessageContaining("another process has asked the JVM");
        assertThat(jvm.events).isEmpty();
        assertThat(marker).exists();
    }

    @Test
    void markerStaysIfTheJvmHasNotHandledTheSignal() throws Exception {
        AttachFailed late = failure(() -> AttachListener.of(jvm).start(soon()));
        assertThat(late.status()).isEqualTo(Status.TIMEOUT);
        assertThat(jvm.events).containsExactly("made", "signal 3 with the marker", "sent", "closed");
        assertThat(jvm.marker()).exists();
    }

    @Test
    void endOfTheProcessEndsTheWait() throws Exception {
        jvm.onSignal = () -> jvm.isAlive = false;
        assertThat(failure(() -> AttachListener.of(jvm).start(later())).refusal())
                .map(Refused::reason)
                .contains(Reason.TARGET_GONE);
    }

    @Test
    void jvmWithoutASignalHandlerHasNotStarted() throws Exception {
        jvm.caughtSignals = 0;
        AttachFailed refused = failure(() -> AttachListener.of(jvm).start(later()));
        assertThat(refused.refusal()).map(Refused::reason).contains(Reason.JVM_STARTING);
        assertNothingIsLeft();
    }

    @Test
    void jvmThatHandlesSignalsWithoutItsServiceThreadHasNotStarted() throws Exception {
        jvm.threadNames = List.of("java", "Signal ..atcher");
        AttachFailed refused = failure(() -> AttachListener.of(jvm).start(later()));
        assertThat(refused.refusal()).map(Refused::reason).contains(Reason.JVM_STARTING);
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xrs", "-XX:+ReduceSignalUsage"})
    void jvmThatInstallsNoSignalHandlersIsRefused(String option) throws Exception {
        jvm.caughtSignals = 0;
        jvm.commandLine = List.of("java", option, "Main");
        AttachFailed refused = failure(() -> AttachListener.of(jvm).start(later()));
        assertThat(refused.status()).isEqualTo(Status.ATTACH_REFUSED);
        assertThat(refused.refusal()).isEmpty();
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(chars = {'T', 't'})
    void stoppedProcessReceivesNoSignal(char state) throws Exception {
        jvm.state = state;
        assertThat(failure(() -> AttachListener.of(jvm).start(later())).status())
                .isEqualTo(Status.RUNTIME_SUSPENDED);
        assertNothingIsLeft();
    }

    private void assertNothingIsLeft() {
        assertThat(jvm.events).containsExactly("made", "gone", "closed");
        assertThat(jvm.marker()).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/tmp/.java_pid7", "/tmp/.java_pid7.tmp"})
    void directoryInPlaceOfTheSocketIsRefusedBeforeTheSignal(String path) throws Exception {
        Files.createDirectory(jvm.path(path));
        AttachFailed refused = failure(() -> AttachListener.of(jvm).start(later()));
        assertThat(refused).hasMessageContaining(path + " is a directory");
        assertThat(jvm.events).isEmpty();
    }

    @Test
    void processWithoutFreeDescriptorsIsRefused() {
        jvm.maxOpenFiles = 3 + 7;
        assertThat(failure(() -> AttachListener.of(jvm))).hasMessageContaining("almost no free descriptors: 3 of 10");
    }
}
