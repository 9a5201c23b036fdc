package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import mayfly.attach.client.ProfilerClient;
import mayfly.audit.Audit;
import mayfly.audit.Audit.Owner;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profilers.testing.CodeProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The timer of a profiler, on the host's thread. */
class TimerTest {
    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private static void await(Attached profiler, String what, long times) throws Exception {
        long before = profiler.count(what);
        Deadline deadline = Deadline.in(Attached.LIMIT);
        while (profiler.count(what) < before + times) {
            deadline.check(what);
        }
    }

    /** Each command is answered although ticks are always due. */
    @ParameterizedTest
    @MethodSource("jdks")
    void timerTicksOnTheHostsThreadUntilTheDetachWithoutDelayingCommands(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("timer.jar"), ProfilerJars.manifest(CodeProfiler.class.getName(), "1", ""));
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.by(Attached.request(jvm, jar, ""));
            assertThat(profiler.count("ticks")).isZero();
            assertThat(profiler.ask("every 1")).isEqualTo("OK");
            await(profiler, "ticks", 20);
            long missed = profiler.count("missed ticks");
            profiler.ask("late 50");
            await(profiler, "ticks", 1);
            assertThat(profiler.count("missed ticks")).isGreaterThanOrEqualTo(missed + 40);
            assertThat(profiler.count("ticks on another thread")).isZero();
            assertThat(profiler.ask("every 0")).isEqualTo("OK");
            long ticks = profiler.count("ticks");
            profiler.ask("late 20");
            assertThat(profiler.count("ticks")).as("after it was switched off").isEqualTo(ticks);
            assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))
                            .orElseThrow()
                            .jvmti())
                    .isFalse();
            assertThat(profiler.ask("every 1")).isEqualTo("OK");
            profiler.detach();
            assertThat(Audit.of(Math.toIntExact(jvm.pid())).of(Owner.MAYFLY)).isEmpty();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }
}
