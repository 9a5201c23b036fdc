package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import mayfly.e2e.SteppedWalks.Walk;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profile.WalkOutcome;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The test steps a thread, one instruction at a time, through code that leaves frames: an exception that unwinds
 * methods, an interpreted method that returns an object, and a virtual thread that yields. Every walk reaches the root.
 */
class SteppedExitsTest {
    /** The limit until the code of interest is reached: a method may be in compilation when the stepping begins. */
    private static final int MAX_STEPS = 20_000;

    private static final int MAX_TRIES = 10;
    private static final String[] QUIET = {
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:GuaranteedSafepointInterval=0",
        "-XX:+UseSerialGC",
        "-Djdk.virtualThreadScheduler.parallelism=1"
    };

    /** An exception leaves interpreted frames for a compiled caller. */
    private static final String INTERPRETED_THROWER =
            "-XX:CompileCommand=quiet -XX:CompileCommand=exclude,mayfly/targets/FrameExits.thrower";

    record Case(Jdk jdk, String mode, String thread, String option, String leaf) {
        @Override
        public String toString() {
            return mode + " with " + option + " on " + jdk;
        }
    }

    static Stream<Case> cases() {
        return Scale.jdks().stream()
                .flatMap(jdk -> Stream.concat(
                        Stream.of("-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation", "-Xint", INTERPRETED_THROWER)
                                .map(option -> new Case(jdk, "throw", "small", option, "thrower")),
                        Stream.concat(
                                Stream.concat(
                                        Stream.of("-XX:TieredStopAtLevel=1", "-Xint")
                                                .map(option -> new Case(jdk, "catch", "small", option, "catcher")),
                                        Stream.of(new Case(jdk, "return", "small", "-Xint", "same"))),
                                Stream.of("-XX:TieredStopAtLevel=1", "-Xint")
                                        .filter(option -> jdk.feature() >= 21)
                                        .map(option -> new Case(
                                                jdk, "yield", "ForkJoinPool-1-worker-1", option, "doYield")))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void walkAtEveryInstructionOfAnExitReachesTheRoot(Case how) throws Exception {
        int steps = Scale.count(6_000, 60_000);
        Map<String, Integer> wrong = new TreeMap<>();
        TreeSet<String> leaves = new TreeSet<>();
        TreeSet<String> roots = new TreeSet<>();
        try (Jvm jvm = Jvm.run("FrameExits")
                .on(how.jdk())
                .with(QUIET)
                .with(how.option().split(" "))
                .args(how.mode())
                .start()) {
            // A thread that requests a compilation, or waits for a lock, runs on freely before the next try.
            boolean reached = false;
            for (int tries = 0; tries < MAX_TRIES && !reached; tries++) {
                try (SteppedWalks thread = SteppedWalks.of(jvm.pid(), how.thread())) {
                    for (int i = 0; i < steps || i < MAX_STEPS && !reached; i++) {
                        thread.step();
                        Walk walk = thread.walk();
                        if (!walk.frames().isEmpty()) {
                            String leaf = walk.frames().getFirst().frame().label();
                            reached |= leaf.endsWith(how.leaf());
                            leaves.add(leaf);
                            roots.add(walk.frames().getLast().frame().label());
                        }
                        if (walk.outcome() != WalkOutcome.COMPLETE) {
                            wrong.merge(
                                    walk.outcome().id() + " at " + Long.toHexString(walk.pc()) + " in "
                                            + walk.frames().stream()
                                                    .limit(4)
                                                    .map(frame -> frame.frame().label())
                                                    .toList(),
                                    1,
                                    Integer::sum);
                        }
                    }
                }
            }
            jvm.ask("well?");
        }
        assertThat(leaves).anyMatch(label -> label.endsWith(how.leaf()));
        assertThat(wrong).as(how.toString()).isEmpty();
        assertThat(roots).as(how.toString()).hasSize(1);
    }
}
