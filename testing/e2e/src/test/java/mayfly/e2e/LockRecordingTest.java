package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

/** Recordings of waits for locks, compared with the clock of a program that measures its own waits. */
class LockRecordingTest {
    private static final int WAITS = Scale.count(8, 60);
    /** On a busy machine some 20 ms pass until Mayfly runs and reads a lock. */
    private static final int HELD_MILLIS = 120;

    private static final String RUN = "run " + WAITS + " " + HELD_MILLIS;
    private static final String TARGET = "mayfly.targets.ContendedLocks.";
    /** An owner that has just released its lock is unknown. */
    private static final double OWNED = 0.6;
    /** The least part of the waits whose locks are read in time, on a busy machine. The ledger has the rest. */
    private static final double READ = 0.25;

    private static final Pattern UNREAD =
            Pattern.compile("waits that may have been for locks, which were not read in time: ([0-9.]+) s in .*");
    /** Waits of the program's threads for locks of the JDK, as while it loads a class. */
    private static final double ELSEWHERE = 0.02;

    /**
     * The expected waits of a kind, as parts of the time that the program has measured.
     *
     * @param most the upper bound on the recorded ones
     * @param accounted the lower bound on them with those that were not read in time
     */
    private record Bounds(double most, double accounted) {
        static final Bounds EXACT = new Bounds(1.03, 0.95);
        /** A program that Mayfly starts waits a little before it begins to measure. */
        static final Bounds STARTED = new Bounds(1.15, 0.95);
        /** A look attributes the time since the one before to what the thread does then. */
        static final Bounds POLLED = new Bounds(1.5, 0);
    }

    /**
     * The lock of each kind of the program.
     *
     * @param frame the frame of the lock
     * @param state the state of its samples
     * @param hasOwner true if the JVM records its owner
     */
    private record Expected(String frame, String state, boolean hasOwner) {
        static Expected monitor(String type) {
            return new Expected("[monitor " + type + "]", "monitor", true);
        }

        static Expected synchronizer(String type, boolean hasOwner) {
            return new Expected("[synchronizer java.util.concurrent." + type + "]", "synchronizer", hasOwner);
        }
    }

    private static final Map<String, Expected> KINDS = Map.of(
            "monitor", Expected.monitor("mayfly.targets.ContendedLocks$Guarded"),
            "reentrant", Expected.synchronizer("locks.ReentrantLock$NonfairSync", true),
            "read", Expected.synchronizer("locks.ReentrantReadWriteLock$NonfairSync", true),
            "write", Expected.synchronizer("locks.ReentrantReadWriteLock$NonfairSync", true),
            "semaphore", Expected.synchronizer("Semaphore$NonfairSync", false),
            "stamped", Expected.synchronizer("locks.StampedLock", false));

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    /** The recorded waits of the program's threads. */
    private static final class Recorded {
        private final Map<String, Long> nanos = new HashMap<>();
        private final Map<String, Long> samples = new HashMap<>();
        private final Map<String, Long> owned = new HashMap<>();
        private long elsewhere;

        Recorded(Profile profile) {
            for (int i = 0; i < profile.sampleCount(); i++) {
                String thread = profile.threads().get(profile.threadOf(i)).name();
                if (thread.startsWith("waits-")) {
                    add(profile, i, thread.substring("waits-".length()));
                }
            }
        }

        private void add(Profile profile, int sample, String kind) {
            List<String> labels = new ArrayList<>(
                    profile.stack(sample).frames().stream().map(Frame::label).toList());
            Expected expected = KINDS.get(kind);
            assertThat(expected).as("a wait for no lock: %s %s", kind, labels).isNotNull();
            if (!labels.contains(TARGET + kind)) {
                elsewhere += profile.valueOf(sample);
                return;
            }
            assertThat(profile.stateOf(sample)).as("%s", labels).isEqualTo(expected.state);
            nanos.merge(kind, profile.valueOf(sample), Long::sum);
            samples.merge(kind, 1L, Long::sum);
            String owner = labels.getLast();
            if (owner.equals("[owned by owner-" + kind + "]")) {
                owned.merge(kind, 1L, Long::sum);
                labels.removeLast();
            } else if (owner.equals("[owner unknown]")) {
                labels.removeLast(); // it had just released the lock
            }
            assertThat(labels.getLast()).as("%s of %s", labels, kind).isEqualTo(expected.frame);
        }
    }

    private static Map<String, Long> sums(String answer) {
        Map<String, Long> sums = new HashMap<>();
        for (String sum : answer.split(" ")) {
            sums.put(sum.replaceFirst("=.*", ""), Long.parseLong(sum.replaceFirst(".*=", "")));
        }
        assertThat(sums).containsOnlyKeys(KINDS.keySet());
        return sums;
    }

    /** Returns the time of the waits of all threads whose locks were not read in time, ns. */
    private static double unread(Profile profile) {
        return profile.ledger().notes().stream()
                .map(UNREAD::matcher)
                .filter(Matcher::matches)
                .mapToDouble(found -> Double.parseDouble(found.group(1)) * 1e9)
                .sum();
    }

    private static void assertEqual(Profile profile, String answer, Bounds bounds) {
        Recorded recorded = new Recorded(profile);
        String evidence = InProcessRecording.evidence(profile) + answer + recorded.nanos + recorded.owned;
        sums(answer).forEach((kind, own) -> {
            double nanos = recorded.nanos.getOrDefault(kind, 0L);
            assertThat(nanos / own).as("%s: %s", kind, evidence).isBetween(READ, bounds.most);
            assertThat((nanos + unread(profile)) / own)
                    .as("%s, with the waits that were not read: %s", kind, evidence)
                    .isGreaterThan(bounds.accounted);
            double owned = (double) recorded.owned.getOrDefault(kind, 0L) / recorded.samples.get(kind);
            if (KINDS.get(kind).hasOwner) {
                assertThat(owned).as("%s: %s", kind, evidence).isGreaterThan(OWNED);
            } else {
                assertThat(owned).as("%s: %s", kind, evidence).isZero();
            }
        });
        double all = sums(answer).values().stream().mapToLong(Long::longValue).sum();
        assertThat(recorded.elsewhere / all).as(evidence).isLessThan(ELSEWHERE);
        assertThat(profile.ledger().notes())
                .as(evidence)
                .anyMatch(note -> note.startsWith("waits for locks: monitor "))
                .anyMatch(note -> note.matches(
                        "synchronizer .*Lock\\$NonfairSync at 0x[0-9a-f]+: .*; owned by owner-(reentrant|read|write)"
                                + " \\([0-9]+\\).*"));
    }

    private void assertRecorded(Jdk jdk, List<String> under, Bounds bounds, String... event) throws Exception {
        Path file = folder.resolve("locks.mayfly");
        try (Jvm jvm = Jvm.run("ContendedLocks")
                .on(jdk)
                .under(under.toArray(String[]::new))
                .start()) {
            String answer = EventRecording.during(jvm, RUN, under, file, event);
            try (InputStream in = Files.newInputStream(file)) {
                assertEqual(
                        CaptureReader.read(in, Detail.EVERY_SAMPLE, CaptureReader.ANY_REACH, "lock"), answer, bounds);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void waitsHaveTheDurationsSitesLocksAndOwnersOfTheProgram(Jdk jdk) throws Exception {
        assertRecorded(jdk, List.of(), Bounds.EXACT, "lock");
    }

    /** As where a filter or a setting refuses perf events. */
    @ParameterizedTest
    @MethodSource("jdks")
    void waitsWithoutSwitchRecordsHaveTheSameLocks(Jdk jdk) throws Exception {
        assertRecorded(jdk, List.of(), Bounds.POLLED, "lock", "--collector", "ptrace");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void anOrdinaryUsersRecordingHasTheSameLocks(Jdk jdk) throws Exception {
        List<String> asNobody = Privileges.asNobody();
        long paranoid = Checks.setting("kernel/perf_event_paranoid");
        assumeTrue(paranoid <= 2, "kernel.perf_event_paranoid is " + paranoid + ", more than 2");
        Privileges.giveToNobody(folder);
        assertRecorded(jdk, asNobody, Bounds.EXACT, "lock");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void locksBesideOtherEventsAreThoseOfTheProgram(Jdk jdk) throws Exception {
        assertRecorded(jdk, List.of(), Bounds.EXACT, "cpu,off-cpu,lock");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void locksOfAProgramThatMayflyStartsAreThoseOfTheProgram(Jdk jdk) throws Exception {
        Path file = folder.resolve("locks.mayfly");
        List<String> program = Jvm.run("ContendedLocks").on(jdk).command();
        List<String> answers = EventRecording.ofStarted(program, List.of(RUN), file, "lock");
        assertEqual(CaptureReader.read(file), answers.getFirst(), Bounds.STARTED);
    }
}
