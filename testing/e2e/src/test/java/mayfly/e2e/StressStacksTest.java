package mayfly.e2e;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profile.Profile;
import mayfly.record.event.Collector;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stacks reach the root of their thread even under loads that are hard to walk, with every execution mode. */
class StressStacksTest {
    private static final int RATE = 999;
    private static final double FLOOR = 0.997;
    private static final double FLOOR_OF_STORM = 0.995;
    private static final List<String> MODES = List.of(
            "virtual",
            "megamorphic",
            "intrinsics",
            "recursion",
            "classes",
            "exceptions",
            "reflection",
            "native",
            "mix");
    private static final List<String> OPTIONS = List.of(
            "-XX:+UseG1GC",
            "-Xint",
            "-Xcomp",
            "-XX:+UseZGC",
            "-XX:+UseShenandoahGC",
            "-XX:+UseParallelGC",
            "-XX:+UseSerialGC");
    /** Every build runs each mode and each option once, distributed over the JDKs; virtual threads run on each JDK. */
    private static final List<String> REDUCED = List.of(
            "21 virtual -XX:+UseG1GC",
            "25 virtual -XX:+UseG1GC",
            "26 virtual -XX:+UseG1GC",
            "17 megamorphic -XX:+UseZGC",
            "25 intrinsics -XX:+UseSerialGC",
            "25 recursion -XX:+UseZGC",
            "17 classes -XX:+UseParallelGC",
            "25 exceptions -Xint",
            "17 reflection -XX:+UseShenandoahGC",
            "25 native -XX:+UseParallelGC",
            "25 mix -XX:+UseShenandoahGC",
            "25 classes -XX:+UseG1GC",
            "17 exceptions -XX:+UseG1GC");

    record Case(Jdk jdk, String mode, String option) {
        @Override
        public String toString() {
            return mode + " " + option + " on " + jdk;
        }
    }

    static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (Jdk jdk : jdks()) {
            for (String mode : MODES) {
                for (String option : OPTIONS) {
                    boolean chosen = Scale.DEEP || REDUCED.contains(jdk.feature() + " " + mode + " " + option);
                    if (chosen && runs(jdk, mode, option)) {
                        cases.add(new Case(jdk, mode, option));
                    }
                }
            }
        }
        return cases;
    }

    /** The JDKs of every test, and JDK 21, whose VM does not describe continuations. */
    private static List<Jdk> jdks() {
        List<Jdk> ofEveryTest = Scale.jdks();
        return Jdk.oneOfEach().stream()
                .filter(jdk -> jdk.feature() == 21 || ofEveryTest.contains(jdk))
                .toList();
    }

    private static boolean runs(Jdk jdk, String mode, String option) {
        boolean threads = !mode.equals("virtual") || jdk.feature() >= 21;
        boolean collector = !option.contains("Shenandoah") || hasShenandoah(jdk);
        return threads && collector;
    }

    static boolean hasShenandoah(Jdk jdk) {
        return Command.run(Duration.ofSeconds(30), jdk.tool("java").toString(), "-XX:+UseShenandoahGC", "-version")
                        .exitCode()
                == 0;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void stacksOfStressLoadsAreComplete(Case how) throws Exception {
        // ZGC was experimental before JDK 15.
        try (Jvm jvm = Jvm.run("Stress")
                .on(how.jdk())
                .with("-XX:+UnlockExperimentalVMOptions", how.option(), "-Xmx512m")
                .args(how.mode())
                .start()) {
            Profile profile = InProcessRecording.of(jvm, RATE, Scale.seconds(2, 10), Collector.AUTO);
            assertComplete(how.toString(), profile, FLOOR);
        }
    }

    /** A start with -Xcomp beside CPU hogs takes a quarter of a minute, so not every build runs it. */
    static List<Jdk> stormy() {
        return Scale.DEEP ? Scale.jdks() : List.of();
    }

    /**
     * There is more to compile than the processors can compile beside other work: code is freed before its samples can
     * be walked.
     */
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("stormy")
    void mostStacksAreCompleteInAJitStormWithoutFreeCpu(Jdk jdk) throws Exception {
        String hogs = Integer.toString(2 * Runtime.getRuntime().availableProcessors());
        try (Jvm hog = Jvm.run("Busy").on(jdk).args(hogs).start();
                Jvm jvm = Jvm.run("Stress")
                        .on(jdk)
                        .with("-Xcomp", "-Xmx512m")
                        .args("classes", "4")
                        .start()) {
            Profile profile = InProcessRecording.of(jvm, RATE, Scale.seconds(4, 30), Collector.AUTO);
            assertComplete("JIT storm beside " + hog.pid() + " on " + jdk, profile, FLOOR_OF_STORM);
        }
    }

    /**
     * Excludes stacks that were not saved for lack of room, which the ledger counts: the recorder was slower than the
     * samples, as on two processors with two busy threads. This is unrelated to stacks that are hard to walk.
     */
    private static void assertComplete(String how, Profile profile, double floor) {
        long samples = profile.ledger().samples();
        long complete = profile.ledger().complete();
        long unsaved = profile.ledger().unsavedStacks();
        System.out.printf(
                "%s: %d of %d stacks are complete, %.3f %%; %d were not saved%n",
                how, complete, samples, 100.0 * complete / samples, unsaved);
        Counts.assertAtLeast(how + "\n" + InProcessRecording.evidence(profile), complete, samples - unsaved, floor);
    }
}
