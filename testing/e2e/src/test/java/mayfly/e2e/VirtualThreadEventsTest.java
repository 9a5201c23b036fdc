package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import mayfly.api.Status;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.VirtualThreadsProfiler;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The start and the end of virtual threads; the oracle is the program, which knows how many it has started. */
class VirtualThreadEventsTest {
    private static final int COUNT = Scale.count(2_000, 100_000);
    private static final int PARKED = 100;

    @TempDir
    private Path folder;

    static List<Jdk> withVirtualThreads() {
        return Scale.jdks().stream().filter(jdk -> jdk.feature() >= 21).toList();
    }

    static List<Jdk> withoutVirtualThreads() {
        return AttachTest.hosts().stream().filter(jdk -> jdk.feature() < 21).toList();
    }

    private Attached attach(Jvm jvm) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("virtual.jar"),
                ProfilerJars.manifest(
                        VirtualThreadsProfiler.class.getName(), "1", "VIRTUAL_THREADS, THREADS, STACK_SNAPSHOTS"));
        return Attached.by(Attached.request(jvm, jar, ""));
    }

    @ParameterizedTest
    @MethodSource("withVirtualThreads")
    @Requirement({"R-01", "R-03"})
    void startAndEndOfEachVirtualThreadAreReportedOnTheThread(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ManyVirtualThreads").on(jdk).start()) {
            Attached profiler = attach(jvm);
            String ran = jvm.ask("run " + COUNT);
            assertThat(profiler.ask("started")).isEqualTo(ran);
            assertThat(profiler.ask("ended")).isEqualTo(ran);
            assertThat(profiler.ask("ended without start")).isEqualTo("0");
            assertThat(profiler.ask("errors")).isEqualTo("0");
            assertThat(profiler.ask("both"))
                    .as("a thread is reported as virtual and as a platform thread")
                    .isEqualTo("false");
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("withVirtualThreads")
    @Requirement({"R-01", "D-28"})
    void threadsThatOutliveASubscriptionHaveTheOtherHalfInTheNext(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ManyVirtualThreads").on(jdk).start()) {
            Attached first = attach(jvm);
            String parked = jvm.ask("park " + PARKED);
            assertThat(first.ask("started")).isEqualTo(parked);
            assertThat(first.ask("ended")).isEqualTo("0 0");
            first.detach();
            Attached second = attach(jvm);
            assertThat(jvm.ask("release")).isEqualTo(parked);
            assertThat(second.ask("ended")).isEqualTo(parked);
            assertThat(second.ask("started")).isEqualTo("0 0");
            assertThat(second.ask("ended without start")).isEqualTo(Integer.toString(PARKED));
            assertThat(second.ask("errors")).isEqualTo("0");
            second.detach();
            assertThat(jvm.ask("run " + PARKED)).startsWith(PARKED + " ");
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("withVirtualThreads")
    void threadThatACallbackStartsIsReported(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ManyVirtualThreads").on(jdk).start()) {
            Attached profiler = attach(jvm);
            profiler.ask("start");
            assertThat(jvm.ask("run 1")).startsWith("1 ");
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!profiler.ask("ended").startsWith("2 ")) {
                deadline.check("%s threads have started", profiler.ask("started"));
            }
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("withVirtualThreads")
    void profilerIsDetachedWhileManyThreadsStartAndEnd(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ManyVirtualThreads").on(jdk).start()) {
            for (int i = 0; i < Scale.count(3, 200); i++) {
                Attached profiler = attach(jvm);
                CompletableFuture<String> ran = CompletableFuture.supplyAsync(() -> jvm.ask("run 20000"));
                while (profiler.ask("ended").startsWith("0 ") && !ran.isDone()) {
                    Thread.onSpinWait();
                }
                assertThat(profiler.ask("errors")).as(jvm.evidence()).isEqualTo("0");
                profiler.detach();
                assertThat(ran.get(Attached.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .startsWith("20000 ");
                assertThat(HostTrace.of(jvm)).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("withoutVirtualThreads")
    void jvmWithoutVirtualThreadsRefusesTheEvent(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            assertThat(Attached.statusOf(() -> attach(jvm))).isEqualTo(Status.UNSUPPORTED_FOR_ATTACHING_PROFILER);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }
}
