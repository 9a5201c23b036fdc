package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Recordings of waits, compared with the clock of a program that measures its own waits. */
class OffCpuTest {
    private static final int WAITS = Scale.count(8, 60);
    /** Waits of 120 ms and more: on a busy machine some 20 ms pass until Mayfly runs and copies a stack. */
    private static final String FACTOR = " 10";

    private static final double SHARE = 0.02;
    /** A wait whose stack was not copied in time has no site. */
    private static final double UNCOPIED = 0.2;
    /** A look attributes the time since the one before, which can be long on a busy machine, to one site. */
    private static final double POLLED_SHARE = 0.1;
    /** The word for the reason of the waits at each site. */
    private static final Map<String, String> REASONS = Map.of(
            "lock", "lock", "park", "park", "turn", "park", "sleep", "sleep", "socket", "socket", "file", "file");

    private static final long LONG_NANOS = 100_000_000;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    /** The recorded waits of the program's threads. */
    private static final class Recorded {
        private final Map<String, Long> byThread = new HashMap<>();
        private final Map<String, Long> preempted = new HashMap<>();
        private final Map<String, Long> bySite = new HashMap<>();
        private final Map<String, Long> bySiteAndReason = new HashMap<>();
        private long longWaits;
        private long copied;
        /** Outcomes of walks other than complete ones. */
        private final Set<WalkOutcome> incomplete = EnumSet.noneOf(WalkOutcome.class);

        Recorded(Profile profile) {
            for (int i = 0; i < profile.sampleCount(); i++) {
                String thread = profile.threads().get(profile.threadOf(i)).name();
                if (!thread.startsWith("waits-")) {
                    continue;
                }
                long nanos = profile.valueOf(i);
                if (profile.stateOf(i).equals("preempted")) {
                    // On a busy machine a thread is preempted while it measures, and while it does not.
                    preempted.merge(thread.substring("waits-".length()), nanos, Long::sum);
                    continue;
                }
                byThread.merge(thread.substring("waits-".length()), nanos, Long::sum);
                String site = site(profile.stack(i).frames());
                bySite.merge(site, nanos, Long::sum);
                bySiteAndReason.merge(site + " " + profile.stateOf(i), nanos, Long::sum);
                if (nanos >= LONG_NANOS) {
                    longWaits++;
                    copied += profile.outcomeOf(i) == WalkOutcome.NOT_COPIED ? 0 : 1;
                }
                if (profile.outcomeOf(i) != WalkOutcome.NOT_COPIED && profile.outcomeOf(i) != WalkOutcome.COMPLETE) {
                    incomplete.add(profile.outcomeOf(i));
                }
            }
        }

        private static String site(List<Frame> rootFirst) {
            String prefix = "mayfly.targets.MeasuredWaits.";
            return rootFirst.stream()
                    .filter(frame -> frame instanceof Frame.Managed)
                    .map(Frame::label)
                    .filter(label -> label.startsWith(prefix) && REASONS.containsKey(label.substring(prefix.length())))
                    .map(label -> label.substring(prefix.length()))
                    .findFirst()
                    .orElse("");
        }
    }

    /** Records while the program waits, and returns the program's own sums by site. */
    private Map<String, Long> record(Jvm jvm, List<String> under, Path file, String... options) throws Exception {
        jvm.ask("run 1 1"); // the first run loads classes, for which its threads wait, too
        List<String> event = new ArrayList<>(List.of("off-cpu"));
        event.addAll(List.of(options));
        String answer = EventRecording.during(jvm, "run " + WAITS + FACTOR, under, file, event.toArray(String[]::new));
        return sums(List.of(answer));
    }

    /** Adds up the answers of the program. */
    private static Map<String, Long> sums(List<String> answers) {
        Map<String, Long> sums = new HashMap<>();
        for (String answer : answers) {
            for (String sum : answer.split(" ")) {
                sums.merge(sum.replaceFirst("=.*", ""), Long.parseLong(sum.replaceFirst(".*=", "")), Long::sum);
            }
        }
        assertThat(sums).containsOnlyKeys(REASONS.keySet());
        return sums;
    }

    /** Compares the sums of each thread, and those of each site. */
    private static void assertEqual(Profile profile, Map<String, Long> own) {
        Recorded recorded = new Recorded(profile);
        double all = own.values().stream().mapToLong(Long::longValue).sum();
        own.forEach((site, nanos) -> {
            String thread = site.equals("turn") ? "lock" : site;
            double ofThread = thread.equals("lock") ? own.get("lock") + own.get("turn") : nanos;
            long preempted = recorded.preempted.getOrDefault(thread, 0L);
            assertThat((recorded.byThread.get(thread) + preempted) / ofThread)
                    .as(
                            "the thread of %s: recorded %s, and %s preempted; own %s",
                            site, recorded.byThread, recorded.preempted, own)
                    .isGreaterThan(1 - SHARE);
            long atSite = recorded.bySite.getOrDefault(site, 0L);
            assertThat((atSite - nanos) / all)
                    .as(
                            "%s: recorded %s, own %s, %s",
                            site, recorded.bySite, own, profile.ledger().notes())
                    .isBetween(-UNCOPIED, SHARE);
            if (atSite > all / 20) {
                assertThat((double) recorded.bySiteAndReason.getOrDefault(site + " " + REASONS.get(site), 0L) / atSite)
                        .as("%s: %s", site, recorded.bySiteAndReason)
                        .isGreaterThan(0.8);
            }
        });
        assertThat(recorded.incomplete).isEmpty();
        assertThat((double) recorded.copied / recorded.longWaits)
                .as("copied, of %d waits of 100 ms or more", recorded.longWaits)
                .isGreaterThan(0.7);
        assertThat(profile.ledger().notes()).anySatisfy(note -> {
            var share = Pattern.compile("the threads waited for .* and ran for .*: ([0-9.]+) % of")
                    .matcher(note);
            assertThat(share.find()).isTrue();
            assertThat(Double.parseDouble(share.group(1))).as(note).isCloseTo(100, within(2.0));
        });
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void waitsHaveTheDurationsSitesAndReasonsOfTheProgramsOwnClock(Jdk jdk) throws Exception {
        Path file = folder.resolve("waits.mayfly");
        try (Jvm jvm = Jvm.run("MeasuredWaits").on(jdk).start()) {
            Map<String, Long> own = record(jvm, List.of(), file);
            assertEqual(CaptureReader.read(file), own);
        }
    }

    /** As where a filter or a setting refuses perf events. A wait of 120 ms is seen in twelve looks. */
    @ParameterizedTest
    @MethodSource("jdks")
    void waitsWithoutSwitchRecordsHaveTheSameSites(Jdk jdk) throws Exception {
        Path file = folder.resolve("waits.mayfly");
        try (Jvm jvm = Jvm.run("MeasuredWaits").on(jdk).start()) {
            Map<String, Long> own = record(jvm, List.of(), file, "--collector", "ptrace");
            Profile profile = CaptureReader.read(file);
            Recorded recorded = new Recorded(profile);
            double all = own.values().stream().mapToLong(Long::longValue).sum();
            own.forEach((site, nanos) -> assertThat((recorded.bySite.getOrDefault(site, 0L) - nanos) / all)
                    .as("%s: recorded %s, own %s", site, recorded.bySite, own)
                    .isBetween(-UNCOPIED, POLLED_SHARE));
            assertThat(recorded.incomplete).isEmpty();
            assertThat(profile.ledger().notes()).anyMatch(note -> note.contains("records no switches of threads"));
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void anOrdinaryUsersRecordingHasTheSameWaits(Jdk jdk) throws Exception {
        List<String> asNobody = Privileges.asNobody();
        long paranoid = Checks.setting("kernel/perf_event_paranoid");
        assumeTrue(paranoid == 2, "kernel.perf_event_paranoid is " + paranoid + ", not 2");
        Path file = Privileges.giveToNobody(folder).resolve("waits.mayfly");
        try (Jvm jvm = Jvm.run("MeasuredWaits")
                .on(jdk)
                .under(asNobody.toArray(String[]::new))
                .start()) {
            Map<String, Long> own = record(jvm, asNobody, file);
            assertEqual(CaptureReader.read(file), own);
        }
    }

    /** The program's first waits include the loading of its classes. */
    @ParameterizedTest
    @MethodSource("jdks")
    void waitsOfAProgramThatMayflyStartsAreRecorded(Jdk jdk) throws Exception {
        Path file = folder.resolve("waits.mayfly");
        List<String> program = Jvm.run("MeasuredWaits").on(jdk).command();
        Map<String, Long> own =
                sums(EventRecording.ofStarted(program, List.of("run 1 1", "run " + WAITS + FACTOR), file, "off-cpu"));
        Recorded recorded = new Recorded(CaptureReader.read(file));
        double all = own.values().stream().mapToLong(Long::longValue).sum();
        own.forEach((site, nanos) -> assertThat((recorded.bySite.getOrDefault(site, 0L) - nanos) / all)
                .as("%s: recorded %s, own %s", site, recorded.bySite, own)
                .isBetween(-UNCOPIED, POLLED_SHARE));
        assertThat(recorded.incomplete).isEmpty();
    }
}
