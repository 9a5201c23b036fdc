package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import mayfly.api.Status;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The status names what retains a profiler that cannot be unloaded. */
class RetainedProfilerTest {
    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void threadLocalOfAnApplicationThreadIsFound(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.to(jvm, folder, "CLASS_LOADS");
            profiler.ask("thread-local");
            jvm.ask("churn");
            ProfilerClient.requestDetach(Math.toIntExact(jvm.pid()), "go", Attached.LIMIT);
            DetachTest.await(jvm, "pinned");
            assertThat(DetachTest.path(jvm))
                    .startsWith("referenced by a live thread -> thread \"")
                    .endsWith("java.lang.ThreadLocal$ThreadLocalMap$Entry ->"
                            + " mayfly.profilers.testing.ScriptedProfiler");
        }
    }

    /** No event needed JVMTI before; the search of the heap may use it if the user has accepted its lasting cost. */
    @ParameterizedTest
    @MethodSource("mayfly.e2e.DetachTest#jdksWithVirtualThreads")
    void heapIsSearchedForAProfilerWithoutEventsIfTheLastingCostIsAccepted(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.to(jvm, folder, "");
            profiler.ask("hook");
            assertThat(DetachTest.status(jvm).jvmti()).isFalse();
            ProfilerClient.requestDetach(Math.toIntExact(jvm.pid()), "go", Attached.LIMIT);
            DetachTest.await(jvm, "pinned");
            assertThat(DetachTest.path(jvm)).contains("ApplicationShutdownHooks");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void shutdownHookIsFoundAndASecondRequestIsRefused(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.withoutJvmti(jvm, folder);
            profiler.ask("hook");
            assertThat(profiler.ask("detach")).isEqualTo("OK");
            assertThat(DetachTest.await(jvm, "pinned").pinnedBy())
                    .matches(
                            jdk.feature() >= 21
                                    ? "a shutdown hook -> mayfly\\.profilers\\.testing\\.ScriptedProfiler\\$\\$Lambda.*"
                                    : "referenced by .*class java.lang.ApplicationShutdownHooks .*thread \"hook of a"
                                            + " profiler\".*|a shutdown hook -> .*");
            assertThat(Attached.statusOf(() ->
                            ProfilerClient.requestDetach(Math.toIntExact(jvm.pid()), "again", Duration.ofSeconds(5))))
                    .isEqualTo(Status.PROFILER_DETACHING);
            assertThat(Attached.statusOf(
                            () -> ProfilerClient.detach(Math.toIntExact(jvm.pid()), "again", Duration.ofSeconds(1))))
                    .as("a request that waits for the end is not refused")
                    .isEqualTo(Status.TIMEOUT);
        }
    }
}
