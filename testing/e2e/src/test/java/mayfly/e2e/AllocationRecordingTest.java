package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profile.Detail;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.capture.CaptureReader;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Recordings of allocation, compared with the count of the program that allocates. */
class AllocationRecordingTest {
    private static final String TARGET = "mayfly.targets.Allocations.";
    private static final Set<String> SITES =
            Set.of(TARGET + "allocateSmall", TARGET + "allocateBig", TARGET + "compute");
    private static final int ROUNDS = Scale.count(20, 200);
    /** Turns that are many times as long as the time between two readings of a counter. */
    private static final String ALTERNATE = "alternate " + ROUNDS + " 40";
    /** Turns with a dozen samples at the default rate. */
    private static final String ALTERNATE_SLOWLY = "alternate " + ROUNDS / 2 + " 120";

    private static final int PERCENT = 5;
    /** The share of all bytes that can be at another site: those between two readings belong to all code meanwhile. */
    private static final double OF_OTHERS = 0.08;
    /** With 99 samples a second: few for each round. */
    private static final double OF_OTHERS_AT_A_LOW_RATE = 0.2;

    private static final Pattern UNCERTAIN =
            Pattern.compile("counters of allocation were .* apart: ([0-9.]+) % of the bytes, .*");

    private static final String[] OPTIONS = {
        "-Xmx64m",
        "-XX:+UseSerialGC",
        "-XX:CompileCommand=quiet",
        "-XX:CompileCommand=dontinline,mayfly.targets.Allocations::*"
    };

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    /** Returns the bytes of each method of the target that allocates or computes. */
    private static Map<String, Long> bySite(Profile profile) {
        Map<String, Long> bytes = new TreeMap<>();
        for (int i = 0; i < profile.sampleCount(); i++) {
            for (Frame frame : profile.stack(i).frames()) {
                if (frame instanceof Frame.Managed && SITES.contains(frame.label())) {
                    bytes.merge(frame.label().substring(TARGET.length()), profile.valueOf(i), Long::sum);
                }
            }
        }
        return bytes;
    }

    private static long total(Profile profile) {
        long total = 0;
        for (int i = 0; i < profile.sampleCount(); i++) {
            total += profile.valueOf(i);
        }
        return total;
    }

    /** Returns the share of the bytes that can be those of any code: on a busy machine, readings are rare. */
    private static double uncertain(Profile profile) {
        return profile.ledger().notes().stream()
                .map(UNCERTAIN::matcher)
                .filter(Matcher::matches)
                .mapToDouble(found -> Double.parseDouble(found.group(1)) / 100)
                .findFirst()
                .orElseThrow();
    }

    /** Compares with the bytes of small objects, and of large arrays, that the program says it has allocated. */
    private static void assertCounted(String answer, double shareOfOthers, Profile profile) {
        String[] words = answer.split(" ");
        long small = Long.parseLong(words[0]);
        long big = Long.parseLong(words[1]);
        Map<String, Long> sites = bySite(profile);
        String evidence = InProcessRecording.evidence(profile) + answer + sites;
        assertThat(total(profile)).as(evidence).isCloseTo(small + big, withinPercentage(PERCENT));
        assertThat(sites).as(evidence).containsKeys("allocateSmall", "allocateBig");
        double deviation = (small + big) * (shareOfOthers + uncertain(profile));
        assertThat((double) sites.get("allocateSmall")).as(evidence).isCloseTo(small, within(deviation));
        assertThat((double) sites.get("allocateBig")).as(evidence).isCloseTo(big, within(deviation));
        assertThat((double) sites.getOrDefault("compute", 0L))
                .as("code that allocates nothing: %s", evidence)
                .isLessThan(deviation);
    }

    private void assertCounted(Jdk jdk, List<String> under, String turns, double shareOfOthers, String... event)
            throws Exception {
        Path file = folder.resolve("allocation.mayfly");
        try (Jvm jvm = Jvm.run("Allocations")
                .on(jdk)
                .under(under.toArray(String[]::new))
                .with(OPTIONS)
                .start()) {
            jvm.ask("alternate 5 40"); // the methods are compiled from now on
            String answer = EventRecording.during(jvm, turns, under, file, event);
            assertCounted(answer, shareOfOthers, CaptureReader.read(file));
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void bytesAreThoseOfTheProgramInTotalAndBySite(Jdk jdk) throws Exception {
        assertCounted(jdk, List.of(), ALTERNATE, OF_OTHERS, "alloc", "--rate", "999");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void bytesAtALowRateAreThoseOfTheProgram(Jdk jdk) throws Exception {
        assertCounted(jdk, List.of(), ALTERNATE_SLOWLY, OF_OTHERS_AT_A_LOW_RATE, "alloc");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void bytesWithoutPerfEventsAreThoseOfTheProgram(Jdk jdk) throws Exception {
        assertCounted(jdk, List.of(), ALTERNATE_SLOWLY, OF_OTHERS_AT_A_LOW_RATE, "alloc", "--collector", "ptrace");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void bytesOfAnOrdinaryUsersRecordingAreThoseOfTheProgram(Jdk jdk) throws Exception {
        List<String> asNobody = Privileges.asNobody();
        long paranoid = Checks.setting("kernel/perf_event_paranoid");
        assumeTrue(paranoid <= 2, "kernel.perf_event_paranoid is " + paranoid + ", more than 2");
        Privileges.giveToNobody(folder);
        assertCounted(jdk, asNobody, ALTERNATE, OF_OTHERS, "alloc", "--rate", "999");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void bytesOfAProgramThatMayflyStartsAreThoseOfTheProgram(Jdk jdk) throws Exception {
        Path file = folder.resolve("allocation.mayfly");
        List<String> program = Jvm.run("Allocations").on(jdk).with(OPTIONS).command();
        List<String> answers = EventRecording.ofStarted(program, List.of(ALTERNATE), file, "alloc", "--rate", "999");
        assertCounted(answers.getFirst(), OF_OTHERS, CaptureReader.read(file));
    }

    /** The recording excludes the bytes that a thread has allocated before it. */
    @ParameterizedTest
    @MethodSource("jdks")
    void idleProgramHasAllocatedNothing(Jdk jdk) throws Exception {
        Path file = folder.resolve("allocation.mayfly");
        try (Jvm jvm = Jvm.run("Allocations").on(jdk).with(OPTIONS).start()) {
            jvm.ask("stay 5 40");
            EventRecording.during(jvm, "alternate 0 40", List.of(), file, "alloc");
            Profile profile = CaptureReader.read(file);
            assertThat(total(profile)).as(InProcessRecording.evidence(profile)).isLessThan(16 << 20);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void allocationBesideOtherEventsIsThatOfTheProgram(Jdk jdk) throws Exception {
        Path file = folder.resolve("allocation.mayfly");
        try (Jvm jvm = Jvm.run("Allocations").on(jdk).with(OPTIONS).start()) {
            jvm.ask("alternate 5 40");
            String answer =
                    EventRecording.during(jvm, ALTERNATE, List.of(), file, "cpu,off-cpu,alloc", "--rate", "999");
            try (InputStream in = Files.newInputStream(file)) {
                Profile profile = CaptureReader.read(in, Detail.EVERY_SAMPLE, CaptureReader.ANY_REACH, "alloc");
                assertCounted(answer, OF_OTHERS, profile);
            }
        }
    }
}
