package mayfly.e2e;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import mayfly.kit.Project;
import mayfly.profile.Profile;
import mayfly.record.event.Collector;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stacks of real programs reach the root of their thread. */
class CompleteStacksTest {
    private static final int RATE = 999;
    private static final long DEEP_SAMPLES = 30_000;

    static List<Jdk> jdks() {
        return Scale.jdks();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void stacksOfAnSqlLoadAreComplete(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("H2Load").on(jdk).start()) {
            warm(jvm, answer -> Long.parseLong(answer) >= Scale.count(3_000, 100_000));
            assertComplete("H2 on " + jdk, jvm, 0.9995);
        }
    }

    @Tag("deep")
    @ParameterizedTest
    @MethodSource("jdks")
    void stacksOfACompilerAreComplete(Jdk jdk) throws Exception {
        try (Jvm jvm =
                Jvm.run("EcjLoad").on(jdk).args(Project.sourceTree().toString()).start()) {
            warm(jvm, answer -> !answer.startsWith("done=0 "));
            assertComplete("ecj on " + jdk, jvm, 0.9985);
        }
    }

    private static void warm(Jvm jvm, Predicate<String> done) {
        long deadline = System.nanoTime() + Patience.of(Duration.ofMinutes(3)).toNanos();
        String answer = jvm.ask("how far?");
        while (!done.test(answer)) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not warm in time: " + answer + "\n" + jvm.evidence());
            }
            LockSupport.parkNanos(20_000_000);
            answer = jvm.ask("how far?");
        }
    }

    private static void assertComplete(String what, Jvm jvm, double floor) throws Exception {
        long samples = 0;
        long complete = 0;
        StringBuilder evidence = new StringBuilder();
        do {
            Profile profile = InProcessRecording.of(jvm, RATE, Scale.seconds(3, 20), Collector.AUTO);
            samples += profile.ledger().samples();
            complete += profile.ledger().complete();
            evidence.append(InProcessRecording.evidence(profile));
        } while (Scale.DEEP && samples < DEEP_SAMPLES);
        System.out.printf(
                "%s: %d of %d stacks are complete, %.3f %%%n", what, complete, samples, 100.0 * complete / samples);
        Counts.assertAtLeast(what + "\n" + evidence, complete, samples, floor);
    }
}
