package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.DetachMode;
import mayfly.attach.client.DetachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.AllocationsProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Sampled allocations of a program that counts what it allocates. */
class AllocationsTest {
    private static final String TARGET = "mayfly.targets.Allocations.";
    private static final int INTERVAL = 32 << 10;
    private static final int INITIAL_INTERVAL = 512 << 10;
    private static final int MIB = Scale.count(512, 4096);
    /** The method of the target that allocates the objects of each kind, and their classes. */
    private static final Map<String, List<String>> KINDS = new TreeMap<>(Map.of(
            "small", List.of("allocateSmall", "mayfly.targets.Allocations$Small"),
            "boxes", List.of("allocateBoxes", "java.lang.Long"),
            "arrays", List.of("allocateArrays", "[I"),
            "nested", List.of("allocateNested", "[J", "[[J"),
            "strings", List.of("allocateStrings", "[B", "java.lang.String"),
            "big", List.of("allocateBig", "[B")));

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    static List<Jdk> jdksWithVirtualThreads() {
        return Scale.jdks().stream().filter(jdk -> jdk.feature() >= 21).toList();
    }

    private Attached attach(Jvm jvm, long interval) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("allocations.jar"),
                ProfilerJars.manifest(AllocationsProfiler.class.getName(), "1", "ALLOCATIONS, STACK_SNAPSHOTS"));
        return Attached.by(Attached.request(jvm, jar, Long.toString(interval)));
    }

    /** Permits every collection: on a busy machine, one may take longer than the host permits otherwise. */
    private static void detach(Jvm jvm) throws Exception {
        ProfilerClient.detach(new DetachRequest(
                Math.toIntExact(jvm.pid()),
                DetachMode.ASK,
                DetachRequest.Collections.ALWAYS,
                "the test is over",
                Attached.LIMIT));
    }

    /** A sum of samples: their number, the bytes of the sampled objects, and the estimate of all bytes. */
    private record Total(long samples, long sizes, long estimate) {}

    private static Map<String, Total> totals(Attached profiler, String command) throws Exception {
        Map<String, Total> totals = new TreeMap<>();
        for (String line : profiler.ask(command).lines().toList()) {
            String[] words = line.split(" ");
            totals.put(
                    words[0], new Total(Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3])));
        }
        return totals;
    }

    /** Returns the samples of the target's own method that allocates; it has no other. */
    private static Total allocated(Attached profiler, String kind) throws Exception {
        Map<String, Total> sites = totals(profiler, "sites");
        sites.keySet().removeIf(site -> !site.startsWith(TARGET + "allocate"));
        assertThat(sites).containsOnlyKeys(TARGET + KINDS.get(kind).getFirst());
        return sites.values().iterator().next();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-06", "S-06", "S-23"})
    void estimatesOfSampledAllocationsAreWithinFivePercentOfTheBytesAllocated(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Allocations").on(jdk).with("-Xmx64m").start()) {
            Attached profiler = attach(jvm, INTERVAL);
            for (String kind : KINDS.keySet()) {
                // The compiler removes temporary objects of the JDK's methods, which the program does not count.
                jvm.ask("allocate " + kind + " 64");
                assertThat(profiler.ask("reset")).isEqualTo("OK");
                long bytes = Long.parseLong(jvm.ask("allocate " + kind + " " + MIB));
                Total total = allocated(profiler, kind);
                assertThat(total.samples).as(kind).isGreaterThan(4000);
                assertThat(total.estimate).as(kind).isCloseTo(bytes, withinPercentage(5));
                assertThat(total.sizes).as("%s: they are samples", kind).isLessThan(bytes);
                assertThat(totals(profiler, "classes"))
                        .as(kind)
                        .containsKeys(KINDS.get(kind)
                                .subList(1, KINDS.get(kind).size())
                                .toArray(String[]::new));
            }
            assertThat(profiler.ask("nested")).as("callbacks in callbacks").isEqualTo("0");
            detach(jvm);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    /** Strings, and the arrays that they contain, in the proportion of their sizes. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("R-06")
    void estimatesByClassAreWithinFivePercentOfTheBytesAllocated(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Allocations").on(jdk).with("-Xmx64m").start()) {
            Attached profiler = attach(jvm, INTERVAL / 2);
            long bytes = Long.parseLong(jvm.ask("allocate strings " + MIB));
            Map<String, Total> classes = totals(profiler, "classes");
            assertThat(classes.get("java.lang.String").estimate).isCloseTo(bytes * 24 / 56, withinPercentage(5));
            assertThat(classes.get("[B").estimate).isCloseTo(bytes * 32 / 56, withinPercentage(5));
            detach(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdksWithVirtualThreads")
    @Requirement("R-06")
    void allocationsOfVirtualThreadsAreReported(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Allocations").on(jdk).with("-Xmx64m").start()) {
            Attached profiler = attach(jvm, INTERVAL);
            long bytes = Long.parseLong(jvm.ask("virtual small " + MIB));
            assertThat(allocated(profiler, "small").estimate).isCloseTo(bytes, withinPercentage(5));
            detach(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-08", "R-10"})
    void samplesEndWithTheSubscriptionAndFollowTheInterval(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Allocations").on(jdk).with("-Xmx64m").start()) {
            Attached profiler = attach(jvm, INTERVAL);
            assertThat(profiler.ask("off")).isEqualTo("OK");
            assertThat(profiler.ask("reset")).isEqualTo("OK");
            jvm.ask("allocate small 64");
            assertThat(profiler.ask("sites")).isEmpty();
            assertThat(profiler.ask("on")).isEqualTo("OK");
            jvm.ask("allocate small 64");
            assertThat(allocated(profiler, "small").samples).isBetween(1600L, 2500L);
            assertThat(profiler.ask("interval " + INTERVAL / 8)).isEqualTo("OK");
            jvm.ask("allocate small 1");
            assertThat(profiler.ask("reset")).isEqualTo("OK");
            long bytes = Long.parseLong(jvm.ask("allocate small 64"));
            Total total = allocated(profiler, "small");
            assertThat(total.samples).isBetween(14_000L, 19_000L);
            assertThat(total.estimate).isCloseTo(bytes, withinPercentage(5));
            for (String refused : List.of("1023", "0", "-1", "1073741825", "4294967296", "" + Long.MAX_VALUE)) {
                assertThat(profiler.ask("interval " + refused)).as(refused).isEqualTo("FAILED");
            }
            assertThat(profiler.ask("interval 1024")).isEqualTo("OK");
            assertThat(profiler.ask("interval 1073741824")).isEqualTo("OK");
            detach(jvm);
        }
    }

    /** Another agent that sets no interval of its own has the JVM's initial one after the profiler has gone. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-06", "D-28"})
    void detachRestoresTheSamplingIntervalOfTheJvm(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Allocations").on(jdk).with("-Xmx64m").start()) {
            Path agent = CSource.library("sampler");
            Attached profiler = attach(jvm, INTERVAL);
            jvm.ask("allocate small 64");
            detach(jvm);
            assertThat(HostTrace.of(jvm)).isEmpty();
            assertThat(load(jvm, agent, "hold")).isZero();
            int before = load(jvm, agent, "count");
            jvm.ask("allocate small 512");
            int expected = (512 << 20) / INITIAL_INTERVAL;
            assertThat(load(jvm, agent, "count") - before).isBetween(expected * 3 / 4, expected * 4 / 3);
            assertThat(load(jvm, agent, "release")).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-02", "R-06", "A-18"})
    void oneAgentAtATimeSamplesAllocations(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Allocations").on(jdk).with("-Xmx64m").start()) {
            Path agent = CSource.library("sampler");
            assertThat(load(jvm, agent, "hold")).isZero();
            AttachFailed failed = Attached.failure(() -> attach(jvm, INTERVAL));
            assertThat(failed.status()).isEqualTo(Status.UNSUPPORTED_FOR_ATTACHING_PROFILER);
            assertThat(failed).hasMessageContaining("another agent samples the allocations of this JVM");
            HostTrace.awaitNone(jvm);
            int before = load(jvm, agent, "count");
            jvm.ask("allocate small 64");
            assertThat(load(jvm, agent, "count"))
                    .as("the other agent's samples continue")
                    .isGreaterThan(before);
            assertThat(load(jvm, agent, "release")).isZero();

            Attached profiler = attach(jvm, INTERVAL);
            assertThat(load(jvm, agent, "hold")).as("JVMTI_ERROR_NOT_AVAILABLE").isEqualTo(98);
            assertThat(profiler.ask("off")).isEqualTo("OK");
            assertThat(load(jvm, agent, "hold")).isZero();
            assertThat(profiler.ask("on")).isEqualTo(Status.UNSUPPORTED_FOR_ATTACHING_PROFILER.name());
            assertThat(load(jvm, agent, "release")).isZero();
            assertThat(profiler.ask("on")).isEqualTo("OK");
            detach(jvm);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    /** Every allocation of some threads is sampled or close to it while the profiler comes and goes. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-22", "D-13"})
    void profilerIsDetachedWhileManySamplesAreDelivered(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Allocations").on(jdk).with("-Xmx64m").start()) {
            for (int i = 0; i < Scale.count(5, 200); i++) {
                Attached profiler = attach(jvm, 1024);
                Thread allocating = Thread.ofPlatform().start(() -> {
                    try {
                        jvm.ask("allocate strings 64");
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
                while (totals(profiler, "classes").isEmpty() && allocating.isAlive()) {
                    Thread.onSpinWait();
                }
                assertThat(profiler.ask("nested")).isEqualTo("0");
                detach(jvm);
                allocating.join();
                assertThat(HostTrace.of(jvm)).isEmpty();
                assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))).isEmpty();
            }
        }
    }

    /** Loads the agent with an option, and returns its result. */
    private static int load(Jvm jvm, Path agent, String option) {
        Command done = Command.run(
                Attached.LIMIT,
                Jdk.current().tool("jcmd").toString(),
                Long.toString(jvm.pid()),
                "JVMTI.agent_load",
                agent.toString(),
                option);
        Matcher result = Pattern.compile("return code: (-?\\d+)").matcher(done.stdout());
        assertThat(result.find()).as(done.evidence()).isTrue();
        return Integer.parseInt(result.group(1));
    }
}
