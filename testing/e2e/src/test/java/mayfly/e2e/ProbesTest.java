package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.api.Status;
import mayfly.attach.client.DetachMode;
import mayfly.attach.client.DetachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.audit.Audit;
import mayfly.audit.AuditComparison;
import mayfly.audit.Verdict;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.ProbesProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls of probed methods of a program that counts its calls. */
class ProbesTest {
    static final String WORK = "mayfly.targets.ProbedCalls$Work";
    private static final List<String> METHODS = List.of("leaf", "middle", "outer", "fails", "down");
    private static final int ROUNDS = Scale.count(300, 20_000);

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    static List<Jdk> jdksWithVirtualThreads() {
        return Scale.jdks().stream().filter(jdk -> jdk.feature() >= 21).toList();
    }

    static Attached attach(Jvm jvm, Path folder, String data) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("probes.jar"),
                ProfilerJars.manifest(ProbesProfiler.class.getName(), "1", "METHOD_PROBES, STACK_SNAPSHOTS"));
        return Attached.by(Attached.request(jvm, jar, data));
    }

    private Attached attach(Jvm jvm) throws Exception {
        return attach(jvm, folder, "");
    }

    /** Permits every collection: on a busy machine, one may take longer than the host permits otherwise. */
    static void detach(Jvm jvm) throws Exception {
        ProfilerClient.detach(new DetachRequest(
                Math.toIntExact(jvm.pid()),
                DetachMode.ASK,
                DetachRequest.Collections.ALWAYS,
                "the test is over",
                Attached.LIMIT));
    }

    static Jvm start(Jdk jdk) {
        return Jvm.run("ProbedCalls").on(jdk).with("-Xmx64m").start();
    }

    /** Returns the calls that the program counts: {@code THREAD METHOD}, then entered, returned and thrown. */
    private static Map<String, String> expected(String answer, boolean byThread) {
        Map<String, long[]> counts = new HashMap<>();
        for (String thread : answer.split(";")) {
            String[] words = thread.split(" ");
            Map<String, Long> own = new HashMap<>();
            for (int i = 1; i < words.length; i += 2) {
                own.put(words[i], Long.parseLong(words[i + 1]));
            }
            for (String method : METHODS) {
                long thrown = method.equals("fails") ? own.get("thrown") : 0;
                long[] sum = counts.computeIfAbsent((byThread ? words[0] : "all") + " " + method, each -> new long[3]);
                sum[0] += own.get(method);
                sum[1] += own.get(method) - thrown;
                sum[2] += thrown;
            }
        }
        Map<String, String> expected = new HashMap<>();
        counts.forEach((name, count) -> expected.put(name, count[0] + " " + count[1] + " " + count[2]));
        return expected;
    }

    private static Map<String, String> reported(Attached profiler) throws Exception {
        Map<String, String> reported = new HashMap<>();
        for (String line : profiler.ask("totals").lines().toList()) {
            String[] words = line.split(" ", 3);
            reported.put(words[0] + " " + words[1], words[2]);
        }
        return reported;
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"I-08", "I-09"})
    void eachCallIsReportedAtItsEnterAndItsLeaveOnItsThread(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk)) {
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("add " + WORK + ".*"))
                    .startsWith("added 8\n")
                    .contains("CONSTRUCTOR 1", "NATIVE 1");
            for (int i = 0; i < 2; i++) {
                assertThat(profiler.ask("reset")).isEqualTo("OK");
                String answer = jvm.ask("run " + ROUNDS);
                assertThat(reported(profiler)).isEqualTo(expected(answer, true));
            }
            assertThat(profiler.ask("remove " + WORK + ".*")).isEqualTo("removed 8 frames 0 changed 0");
            assertThat(profiler.ask("reset")).isEqualTo("OK");
            jvm.ask("run 10");
            assertThat(reported(profiler)).isEmpty();
            detach(jvm);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("jdksWithVirtualThreads")
    @Requirement("I-09")
    void callsOfVirtualThreadsAreReported(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk)) {
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("mode sum")).isEqualTo("OK");
            assertThat(profiler.ask("add " + WORK + ".*")).startsWith("added 8");
            String answer = jvm.ask("virtual " + ROUNDS);
            assertThat(reported(profiler)).isEqualTo(expected(answer, false));
            detach(jvm);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"S-22", "S-06", "I-02"})
    void shadowStackEqualsTheWalkAtEachEnter(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk)) {
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("mode stacks")).isEqualTo("OK");
            assertThat(profiler.ask("add " + WORK + ".*")).startsWith("added 8");
            jvm.ask("run " + ROUNDS / 10);
            String[] walks = profiler.ask("walks").split(" ", 3);
            assertThat(walks[2]).isEmpty();
            assertThat(walks[1]).isEqualTo("0");
            assertThat(Long.parseLong(walks[0])).isGreaterThan(ROUNDS);
            detach(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"I-06", "I-09"})
    void commandsChooseWhichProbedMethodsReport(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk)) {
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("add " + WORK + ".*")).startsWith("added 8");
            assertThat(profiler.ask("report off " + WORK + ".*")).isEqualTo("8");
            assertThat(profiler.ask("report on " + WORK + ".leaf")).isEqualTo("1");
            assertThat(profiler.ask("probes").lines().filter(line -> line.endsWith(" true")))
                    .singleElement()
                    .asString()
                    .startsWith(WORK + ".leaf(");
            Map<String, String> expected = expected(jvm.ask("run 100"), true);
            expected.keySet().removeIf(name -> !name.endsWith(" leaf"));
            assertThat(reported(profiler)).isEqualTo(expected);
            assertThat(profiler.ask("report off com.example.*.*")).isEqualTo("0");
            assertThat(profiler.ask("report off nothing")).startsWith("FAILED ");
            detach(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"I-09", "R-05"})
    void eachBadPatternIsRefusedAndChangesNothing(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk)) {
            Attached profiler = attach(jvm);
            for (String malformed :
                    List.of("add leaf", "add .leaf", "add a.b(", "add a.b(I", "add java/lang/Object.x")) {
                assertThat(profiler.ask(malformed)).as(malformed).startsWith("FAILED ");
            }
            assertThat(profiler.ask("add *.*")).startsWith("FAILED ").contains("at most 1000 probes");
            assertThat(profiler.ask("add com.example.Nothing.*")).isEqualTo("added 0");
            assertThat(profiler.ask("add java.lang.Object.*")).startsWith("added 0\nRESERVED_PACKAGE ");
            assertThat(profiler.ask("add java.util.concurrent.ConcurrentHashMap.get"))
                    .startsWith("added 0\nRESERVED_PACKAGE 1 ");
            assertThat(profiler.ask("add mayfly.profilers.*.*")).startsWith("added 0\nPROFILER ");
            assertThat(profiler.ask("add " + WORK + ".missing")).startsWith("added 0\nNATIVE 1 ");
            assertThat(profiler.ask("add mayfly.targets.ProbedCalls$Abstract.nothing"))
                    .startsWith("added 0\nABSTRACT 1 ");
            assertThat(profiler.ask("add " + WORK + ".<init>")).startsWith("added 0\nCONSTRUCTOR 1 ");
            assertThat(profiler.ask("add " + WORK + ".leaf(I)V")).isEqualTo("added 0");
            assertThat(profiler.ask("probes")).isEmpty();
            assertThat(profiler.ask("remove com.example.Nothing.*")).isEqualTo("removed 0 frames 0 changed 0");
            assertThat(profiler.ask("add " + WORK + ".leaf")).isEqualTo("added 1");
            assertThat(profiler.ask("add " + WORK + ".leaf")).startsWith("added 0\nALREADY_PROBED 1 ");
            assertThat(profiler.ask("remove " + WORK + ".leaf")).isEqualTo("removed 1 frames 0 changed 0");
            detach(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-08", "R-10", "R-05"})
    void probesEndWithTheSubscriptionAndNeedIt(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk)) {
            Attached profiler = attach(jvm, folder, "later");
            for (String call :
                    List.of("add " + WORK + ".*", "remove " + WORK + ".*", "report on x " + WORK, "probes", "frames")) {
                assertThat(profiler.ask(call)).as(call).startsWith("UNSUPPORTED_FOR_ATTACHING_PROFILER ");
            }
            assertThat(profiler.ask("on")).isEqualTo("OK");
            assertThat(profiler.ask("add " + WORK + ".leaf")).isEqualTo("added 1");
            Map<String, String> expected = expected(jvm.ask("run 10"), true);
            expected.keySet().removeIf(name -> !name.endsWith(" leaf"));
            assertThat(reported(profiler)).isEqualTo(expected);
            assertThat(profiler.ask("off")).isEqualTo("OK");
            jvm.ask("run 10");
            assertThat(reported(profiler)).isEqualTo(expected);
            assertThat(profiler.ask("on")).isEqualTo("OK");
            assertThat(profiler.ask("probes")).isEmpty();
            detach(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-13", "D-20", "D-28"})
    void detachRemovesTheProbesAndAnAuditFindsNoLeftover(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk)) {
            detachAfter(jvm, "");
            Audit before = Audit.of(Math.toIntExact(jvm.pid()));
            detachAfter(jvm, "add " + WORK + ".*");
            assertThat(AuditComparison.of(before, Audit.of(Math.toIntExact(jvm.pid())))
                            .of(Verdict.LEFTOVER))
                    .isEmpty();
            assertThat(HostTrace.of(jvm)).isEmpty();
            assertThat(jvm.ask("run 10")).isEqualTo(jvm.ask("run 10"));
        }
    }

    private void detachAfter(Jvm jvm, String command) throws Exception {
        Attached profiler = attach(jvm);
        if (!command.isEmpty()) {
            assertThat(profiler.ask(command)).startsWith("added 8");
            jvm.ask("run 10");
        }
        detach(jvm);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-16", "D-17", "D-20"})
    void profilerThatProbesAndDetachesInOneCallbackIsUnloaded(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk)) {
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("add " + WORK + ".leaf")).isEqualTo("added 1");
            assertThat(profiler.ask("in-callback add_" + WORK + ".*;detach")).isEqualTo("OK");
            assertThat(jvm.ask("run 10")).startsWith("calls-0 leaf ");
            HostTrace.awaitNone(jvm);
            assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))).isEmpty();
            assertThat(jvm.ask("run 10")).startsWith("calls-0 leaf ");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"I-09", "D-28"})
    void programSeesNoExceptionOfACallbackNorAnEarlierStackOverflow(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk)) {
            assertThat(jvm.ask("endless")).isEqualTo("overflow");
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("add " + WORK + ".*")).startsWith("added 8");
            assertThat(profiler.ask("mode nothing")).isEqualTo("OK");
            for (int i = 0; i < 20; i++) {
                assertThat(jvm.ask("endless")).isEqualTo("overflow");
            }
            assertThat(profiler.ask("mode throw")).isEqualTo("OK");
            assertThat(jvm.ask("run 10")).startsWith("calls-0 leaf ");
            assertThat(DetachTest.status(jvm).thrown()).isPositive();
            detach(jvm);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"I-08", "D-28"})
    void framesOfReplacedCodeAreCountedUntilTheyReturn(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk)) {
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("add " + WORK + ".*")).startsWith("added 8");
            assertThat(jvm.ask("hold")).isEqualTo("OK");
            assertThat(profiler.ask("remove " + WORK + ".*")).isEqualTo("removed 8 frames 1 changed 0");
            assertThat(DetachTest.status(jvm).framesOfReplacedCode()).isEqualTo(1);
            assertThat(jvm.ask("release")).isEqualTo("OK");
            assertThat(profiler.ask("frames")).isEqualTo("0");
            assertThat(DetachTest.status(jvm).framesOfReplacedCode()).isZero();
            assertThat(reported(profiler)).containsOnlyKeys("holds hold").containsValue("1 0 0");
            detach(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-13", "D-28"})
    void callOfADetachedProfilersProbeIsNotReportedToTheNextOne(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk)) {
            Attached first = attach(jvm);
            assertThat(first.ask("add " + WORK + ".*")).startsWith("added 8");
            assertThat(jvm.ask("hold")).isEqualTo("OK");
            detach(jvm);
            Attached second = attach(jvm);
            assertThat(second.ask("add " + WORK + ".*")).startsWith("added 8");
            assertThat(jvm.ask("release")).isEqualTo("OK");
            assertThat(reported(second)).isEmpty();
            assertThat(Attached.statusOf(() -> detach(jvm))).isEqualTo(Status.OK);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-01")
    void profilerThatMayProbeButDoesNotIsDetached(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk)) {
            attach(jvm, folder, "later");
            detach(jvm);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }
}
