package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import mayfly.api.Event;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profilers.testing.ThrowingProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A profiler that throws wherever it can, or ends the JVM: the command reports it, and the program sees only the
 * effects that are unavoidable.
 */
class RecklessProfilerTest {
    private final Instant started = Instant.now().minusSeconds(1);

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private Attached attach(Jvm jvm, String data) throws Exception {
        return Attached.by(Attached.request(
                jvm,
                ProfilerJars.jar(
                        folder.resolve("reckless.jar"),
                        ProfilerJars.manifest(
                                ThrowingProfiler.class.getName(),
                                "1",
                                ProfilerJars.names(Event::isAllowedAfterAttach))),
                data));
    }

    /** The program's threads run the callbacks, but do not receive the exceptions that the callbacks throw. */
    @ParameterizedTest
    @MethodSource("jdks")
    void exceptionsOfCallbacksDoNotReachTheProgram(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).with("-Xmx64m").start()) {
            Attached profiler = attach(jvm, "");
            jvm.ask("churn");
            for (int i = 0; i < 20; i++) {
                assertThat(jvm.ask("load")).isEqualTo("a guest");
                assertThat(jvm.ask("thread " + i)).isEqualTo("ended");
                assertThat(jvm.ask("virtual")).isEqualTo(jdk.feature() < 21 ? "no virtual threads" : "ended");
                assertThat(jvm.ask("unload")).isEqualTo("collected");
            }
            long before = Long.parseLong(profiler.ask("count"));
            assertThat(before).isGreaterThan(60);
            profiler.ask("interrupt");
            assertThat(Long.parseLong(profiler.ask("count"))).isGreaterThanOrEqualTo(before);
            assertThat(Attached.statusOf(() -> profiler.ask("fail"))).isEqualTo(Status.FAILED);
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
            assertThat(jvm.ask("load")).isEqualTo("a guest");
            assertThat(jvm.stderr()).doesNotContain("thrown by a callback", "Exception", "Error");
        }
    }

    /** Any code of the program may end the JVM. The command does not wait for an answer that cannot arrive. */
    @ParameterizedTest
    @MethodSource("jdks")
    void profilerThatExitsTheJvmIsReportedAndLeavesNoFile(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            assertEnded(jvm, Attached.failure(() -> attach(jvm, "exit")));
        }
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            Attached profiler = attach(jvm, "");
            assertEnded(jvm, Attached.failure(() -> profiler.ask("exit")));
            AttachFailed later = Attached.failure(() -> ProfilerClient.status(Math.toIntExact(jvm.pid())));
            assertThat(later.status()).isEqualTo(Status.RUNTIME_NOT_LOADED);
        }
    }

    private void assertEnded(Jvm jvm, AttachFailed failed) throws Exception {
        assertThat(failed.status()).as(failed.toString()).isEqualTo(Status.FAILED);
        assertThat(failed).hasMessage("process " + jvm.pid() + " has ended");
        ProcessHandle.of(jvm.pid()).ifPresent(it -> it.onExit().join());
        assertThat(HostTrace.files(Path.of("/tmp"), Long.toString(jvm.pid()), started))
                .isEmpty();
        assertThat(Path.of("/tmp/.java_pid" + jvm.pid())).doesNotExist();
    }
}
