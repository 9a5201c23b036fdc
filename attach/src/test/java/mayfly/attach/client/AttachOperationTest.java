package mayfly.attach.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.ChannelMessage;
import mayfly.attach.channel.Deadline;
import mayfly.attach.channel.HostRecord;
import mayfly.profile.RuntimeId;
import mayfly.wire.LoadResult;
import mayfly.wire.message.AttachFlag;
import mayfly.wire.message.AttachOffset;
import mayfly.wire.message.FollowFlag;
import mayfly.wire.message.MessageType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The steps of an attach, with a scripted process and a scripted host. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AttachOperationTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String CLASS = "a.Profiler";
    /** The first bytes of a class file of Java 17. */
    private static final byte[] CLASS_FILE = HexFormat.of().parseHex("cafebabe0000003d");

    @TempDir
    private Path folder;

    private final ScriptedTarget target = new ScriptedTarget();
    private Path jar;

    @BeforeEach
    void makeJar() throws IOException {
        jar = jar("");
    }

    private Path jar(String events) throws IOException {
        return jar(events, "");
    }

    /** @param runtimes the declared scheme, empty for none */
    private Path jar(String events, String runtimes) throws IOException {
        var manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue("Mayfly-Profiler", CLASS);
        main.putValue("Mayfly-Api", "1");
        main.putValue("Mayfly-Events", events);
        if (!runtimes.isEmpty()) {
            main.putValue("Mayfly-Runtimes", runtimes);
        }
        Path file = folder.resolve("profiler" + events + ".jar");
        try (var out = new JarOutputStream(Files.newOutputStream(file), manifest)) {
            out.putNextEntry(new ZipEntry("a/Profiler.class"));
            out.write(CLASS_FILE);
        }
        return file;
    }

    private AttachRequest request(Acceptance... accepted) {
        return new AttachRequest(ScriptedTarget.PID, jar, Optional.empty(), Optional.empty(), LIMIT, accepted);
    }

    private void attach(AttachRequest request) throws AttachFailed {
        new AttachOperation(request, target::open).run();
    }

    private static AttachFailed failure(ThrowingCallable call) {
        AttachFailed failed = catchThrowableOfType(AttachFailed.class, call);
        assertThat(failed).isNotNull();
        return failed;
    }

    private ScriptedHost host(byte[]... answers) throws IOException {
        var host = new ScriptedHost(
                folder,
                message -> message.type() == MessageType.ATTACH ? List.of(answers) : List.of(ScriptedHost.SILENCE));
        target.socket = host.socket();
        return host;
    }

    @Test
    void stepsHaveTheirOrderAndTheLibraryIsRemovedBeforeTheProfilerIsSent() throws Exception {
        target.isListening = false;
        try (ScriptedHost host = host(ScriptedHost.result(Status.OK, ""))) {
            attach(request());
            assertThat(target.steps)
                    .containsExactly(
                            "open 7",
                            "hosts",
                            "choose",
                            "hosts",
                            "listener",
                            "library",
                            "start",
                            "loading",
                            "options 1,ID,DEADLINE,l",
                            "load",
                            "loaded",
                            "library closed",
                            "host in 1000",
                            "connect",
                            "close");
            assertThat(host.received)
                    .singleElement()
                    .extracting(ChannelMessage::type)
                    .isEqualTo(MessageType.ATTACH);
        }
    }

    @Test
    void acceptedConsequencesAndTheChosenJvmReachTheHost() throws Exception {
        target.chosen = new ChosenJvm(25, new RuntimeId(2), 0x7f00, false);
        try (ScriptedHost host = host(ScriptedHost.result(Status.OK, ""))) {
            attach(request(Acceptance.LASTING_COST, Acceptance.REMAINING_CLASSES));
            assertThat(target.steps).contains("options 1,ID,DEADLINE,d,7f00");
            assertThat(flags(host)).isEqualTo(AttachFlag.LASTING_COST);
        }
    }

    private static int flags(ScriptedHost host) {
        return ByteBuffer.wrap(host.received.getFirst().content())
                .order(ByteOrder.LITTLE_ENDIAN)
                .getInt(AttachOffset.FLAGS);
    }

    @Test
    void jvmtiIsPermittedUnaskedAndReportedWhereVirtualThreadsAreSlowerAlready() throws Exception {
        jar = jar("COMPILED_METHODS");
        target.hasSlowerVirtualThreads = true;
        List<RuntimeId> permitted = new ArrayList<>();
        try (ScriptedHost host = host(ScriptedHost.result(Status.OK, ""))) {
            attach(request().observedBy(permitted::add));
            assertThat(permitted).containsExactly(target.chosen.id());
            assertThat(flags(host)).isEqualTo(AttachFlag.LASTING_COST);
        }
    }

    @Test
    void jvmtiIsRefusedBeforeTheHostIsLoadedWhereItWouldSlowVirtualThreads() throws Exception {
        jar = jar("COMPILED_METHODS");
        AttachFailed refused = failure(() -> attach(request()));
        assertThat(refused.status()).isEqualTo(Status.LASTING_COST_NOT_ACCEPTED);
        assertThat(refused).hasMessageContaining("COMPILED_METHODS, which needs JVMTI; on Java 25");
        assertThat(target.steps).containsExactly("open 7", "hosts", "choose", "hosts", "cost", "close");
    }

    @Test
    void costThatCannotBeReadFailsTheAttach() throws Exception {
        jar = jar("COMPILED_METHODS");
        target.failing = "cost";
        assertThat(failure(() -> attach(request())).status()).isEqualTo(Status.FAILED);
    }

    @ParameterizedTest
    @CsvSource({"THREADS,25", "COMPILED_METHODS,17"})
    void costIsNotReadIfTheProfilerNeedsNoPermission(String event, int feature) throws Exception {
        jar = jar(event);
        target.chosen = new ChosenJvm(feature, new RuntimeId(1), 0x1000, true);
        target.hasSlowerVirtualThreads = true;
        try (ScriptedHost host = host(ScriptedHost.result(Status.OK, ""))) {
            attach(request());
            assertThat(target.steps).doesNotContain("cost");
            assertThat(flags(host)).isZero();
        }
    }

    @Test
    void tooMuchDataIsRefusedBeforeTheProcessIsOpened() {
        var request = new AttachRequest(
                ScriptedTarget.PID, jar, Optional.empty(), Optional.of(new byte[AttachRequest.MAX_DATA + 1]), LIMIT);
        assertThat(failure(() -> attach(request)).status()).isEqualTo(Status.ATTACH_REFUSED);
        assertThat(target.steps).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "INITIALIZING,is being attached",
        "ACTIVE,is active",
        "DETACHING,is being detached",
        "PINNED,is detached but not unloaded yet: it is kept"
    })
    void onlyJvmWithAHostIsRefusedBeforeAnythingElse(HostRecord.State state, String words) {
        target.host = ScriptedTarget.record(state, "it is kept");
        AttachFailed refused = failure(() -> attach(request()));
        assertThat(refused.status()).isEqualTo(Status.PROFILER_ALREADY_ACTIVE);
        assertThat(refused).hasMessage("a.Profiler " + words);
        assertThat(target.steps).containsExactly("open 7", "hosts", "close");
    }

    @Test
    void oneOfSeveralJvmsWithAHostIsRefusedBeforeItsListenerIsAsked() {
        target.host = ScriptedTarget.record(HostRecord.State.ACTIVE, "");
        target.chosen = new ChosenJvm(25, new RuntimeId(2), 0x1000, false);
        assertThat(failure(() -> attach(request())).status()).isEqualTo(Status.PROFILER_ALREADY_ACTIVE);
        assertThat(target.steps).containsExactly("open 7", "hosts", "choose", "hosts", "close");
    }

    @Test
    void hostOfAnotherJvmDoesNotPreventAnAttach() throws Exception {
        target.host = ScriptedTarget.record(HostRecord.State.ACTIVE, "");
        target.chosen = new ChosenJvm(25, new RuntimeId(2), 0x7f00, false);
        try (ScriptedHost host = host(ScriptedHost.result(Status.OK, ""))) {
            attach(request());
            assertThat(target.steps).contains("host in 7f00");
            assertThat(host.received).hasSize(1);
        }
    }

    @Test
    void profilerForTheFirstJvmIsAttachedToItWithoutAChoice() throws Exception {
        jar = jar("", "first");
        try (ScriptedHost host = host(ScriptedHost.result(Status.OK, ""))) {
            attach(request());
            assertThat(target.steps).contains("choose r1");
            assertThat(host.received).hasSize(1);
        }
    }

    @Test
    void profilerForTheFirstJvmIsNotAttachedToALaterOne() throws Exception {
        jar = jar("", "first");
        target.chosen = new ChosenJvm(25, new RuntimeId(2), 0x7f00, false);
        AttachFailed declined = failure(() -> attach(request().on(Optional.of(new RuntimeId.Choice("r2")))));
        assertThat(declined.status()).isEqualTo(Status.PROFILER_CANCEL_ACTIVATION);
        assertThat(declined).hasMessageContaining("r2 is not the first");
        assertThat(target.steps).containsExactly("open 7", "hosts", "choose r2", "close");
    }

    @Test
    void unknownSchemeIsRefusedBeforeAJvmIsChosen() throws Exception {
        jar = jar("", "first many");
        assertThat(failure(() -> attach(request())))
                .hasMessageContaining("unknown Mayfly-Runtimes: 'first many'; they are first, one or many");
        assertThat(target.steps).containsExactly("open 7", "hosts", "close");
    }

    @Test
    void unsuitableProfilerIsRefusedBeforeTheListenerIsAsked() throws Exception {
        jar = folder.resolve("missing.jar");
        assertThat(failure(() -> attach(request())).status()).isEqualTo(Status.ATTACH_REFUSED);
        jar = jar("STACK_SNAPSHOTS,COMPILED_METHODS");
        assertThat(failure(() -> attach(request())).status()).isEqualTo(Status.LASTING_COST_NOT_ACCEPTED);
        target.chosen = new ChosenJvm(16, new RuntimeId(1), 0x1000, true);
        assertThat(failure(() -> attach(request()))).hasMessageContaining("built for Java 17; the target runs Java 16");
        assertThat(target.steps).doesNotContain("listener", "library");
    }

    @Test
    void listenerThatCannotBeStartedLeavesNoLibraryAndNoRequest() {
        target.isListening = false;
        target.failing = "start";
        assertThat(failure(() -> attach(request())).status()).isEqualTo(Status.TIMEOUT);
        assertThat(target.steps)
                .containsExactly(
                        "open 7",
                        "hosts",
                        "choose",
                        "hosts",
                        "listener",
                        "library",
                        "start",
                        "library closed",
                        "close");
    }

    /** A refusal is a decision: of the JVM, the host or Mayfly. */
    @ParameterizedTest
    @ValueSource(strings = {"listener", "library", "load"})
    void errorIsAFailureAndNoRefusal(String step) {
        target.failing = step;
        target.failsByError = true;
        assertThat(failure(() -> attach(request())))
                .hasMessage(step + " cannot be read")
                .extracting(AttachFailed::status)
                .isEqualTo(Status.FAILED);
    }

    @ParameterizedTest
    @CsvSource({"TIMEOUT,false", "ATTACH_REFUSED,true", "FAILED,true"})
    void libraryCountsAsLoadedUnlessTheJvmMayStillOpenIt(Status status, boolean isLoaded) {
        target.failing = "load";
        target.failure = status;
        assertThat(failure(() -> attach(request())).status()).isEqualTo(status);
        assertThat(target.steps.contains("loaded")).isEqualTo(isLoaded);
        assertThat(target.steps).endsWith("library closed", "close").doesNotContain("connect");
    }

    @ParameterizedTest
    @CsvSource({
        LoadResult.NO_UNLOADING + ",never unloads classes",
        LoadResult.OTHER_RUNTIME + ",another JVM",
        LoadResult.SECURITY_MANAGER + ",a security manager",
        LoadResult.NOT_OPENED - 24 + ",no descriptor left (EMFILE)",
        LoadResult.NOT_OPENED - 12 + ",no memory",
        "17,unknown reason 17"
    })
    void refusalOfTheHostIsNamedOnceItsLibraryIsUnloaded(int code, String words) {
        target.loadResult = code;
        AttachFailed refused = failure(() -> attach(request()));
        assertThat(refused.status()).isEqualTo(Status.ATTACH_REFUSED);
        assertThat(refused).hasMessageContaining(words);
        assertThat(target.steps).endsWith("library closed", "await no host in 1000", "close");
    }

    @Test
    void requestThatReachesTheHostAfterItsDeadlineTimesOut() {
        target.loadResult = LoadResult.EXPIRED;
        assertThat(failure(() -> attach(request())).status()).isEqualTo(Status.TIMEOUT);
    }

    @Test
    void hostThatCameFirstIsNamedAndOneThatIsGoneAgainIsNot() {
        target.loadResult = LoadResult.ALREADY_ACTIVE;
        assertThat(failure(() -> attach(request()))).hasMessageContaining("is unloaded now: attach again");
        target.onLoad = () -> target.host = ScriptedTarget.record(HostRecord.State.ACTIVE, "");
        AttachFailed active = failure(() -> attach(request()));
        assertThat(active.status()).isEqualTo(Status.PROFILER_ALREADY_ACTIVE);
        assertThat(active).hasMessage("a.Profiler is active");
    }

    @Test
    void failedInitializationIsReportedOnceTheHostIsGone() throws Exception {
        try (ScriptedHost host = host(ScriptedHost.result(Status.PROFILER_CANCEL_ACTIVATION, "not here"))) {
            AttachFailed declined = failure(() -> attach(request()));
            assertThat(declined.status()).isEqualTo(Status.PROFILER_CANCEL_ACTIVATION);
            assertThat(declined).hasMessage("not here");
            assertThat(target.steps).endsWith("connect", "await no host in 1000", "close");
            target.staysLoaded = true;
            AttachFailed pinned = failure(() -> attach(request()));
            assertThat(pinned.status()).isEqualTo(Status.PROFILER_CANCEL_ACTIVATION);
            assertThat(pinned).hasMessageStartingWith("not here; the profiler is not unloaded yet");
            assertThat(host.received).hasSize(2);
        }
    }

    @Test
    void hostThatClosesTheChannelEarlyIsReportedAsNoProfiler() throws Exception {
        try (ScriptedHost host = host()) {
            assertThat(failure(() -> attach(request())).status()).isEqualTo(Status.NO_PROFILER);
            assertThat(host.received).hasSize(1);
        }
    }

    @Test
    void hostThatIsGoneBecauseTheDeadlineExpiredIsATimeout() {
        target.onLoad = () -> {
            while (!Deadline.in(Duration.ZERO).isOver()) {
                Thread.onSpinWait();
            }
        };
        var request = new AttachRequest(ScriptedTarget.PID, jar, Optional.empty(), Optional.empty(), Duration.ZERO);
        AttachFailed late = failure(() -> attach(request));
        assertThat(late.status()).isEqualTo(Status.TIMEOUT);
        assertThat(late).hasMessageStartingWith("the time-out expired before the host had received the profiler");
    }

    @Test
    void streamIsOpenedWithItsLeaseBeforeTheProfilerIsSent() throws Exception {
        try (ScriptedHost host = host(ScriptedHost.result(Status.OK, ""));
                EmissionStream stream = new AttachOperation(request(), target::open)
                        .runAndFollow(EmissionStream.AtEnd.DETACH_PROFILER)) {
            assertThat(stream).isNotNull();
            assertThat(host.received)
                    .extracting(ChannelMessage::type)
                    .containsExactly(MessageType.FOLLOW, MessageType.ATTACH);
            assertThat(ByteBuffer.wrap(host.received.getFirst().content())
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .getInt())
                    .isEqualTo(FollowFlag.LEASE);
        }
    }
}
