package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.capture.CaptureReader;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Recordings of safepoints, compared with the log that the JVM writes of them. */
class SafepointTest {
    private static final int SAFEPOINTS = Scale.count(40, 400);
    private static final String NOT_SAMPLED = "[threads not sampled]";
    private static final String LOOP = "mayfly.targets.CountedLoops.delaying";
    /** A line of JDK 17 and later. The time at the safepoint has different parts in each. */
    private static final Pattern LOGGED = Pattern.compile("Reaching safepoint: +(\\d+) ns.*Total: +(\\d+) ns");
    /** A line of JDK 11, with times in seconds. */
    private static final Pattern LOGGED_BY_11 =
            Pattern.compile("threads were stopped: ([0-9.]+) seconds, Stopping threads took: ([0-9.]+) seconds");
    /** JDK 11 reads its clock for the log before it records an end, and after it has recorded a stop. */
    private static final long LOG_DEVIATION = 20_000_000;

    private static final int OLDEST_WITH_EXACT_LOG = 17;
    private static final long LONG_NANOS = 10_000_000;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    /**
     * One safepoint.
     *
     * @param reaching the time until all threads had stopped, ns
     * @param total the time until they continued, ns
     */
    private record Safepoint(long reaching, long total) {
        /** Returns true if a line of the log is of this safepoint. The line of JDK 17 and later has equal times. */
        boolean isLogged(Safepoint line, Jdk jdk) {
            if (jdk.feature() >= OLDEST_WITH_EXACT_LOG) {
                return equals(line);
            }
            // The log has its times in tenths of a microsecond.
            long earlier = line.reaching - reaching;
            long later = total - line.total;
            return earlier >= -100 && earlier < LOG_DEVIATION && later >= -100 && later < LOG_DEVIATION;
        }
    }

    /** The recorded safepoints, and those that waited for a long time and their delays. */
    private static final class Recorded {
        private final List<Safepoint> safepoints = new ArrayList<>();
        /** Those that waited for at least 10 ms, and of these, those with a sample of a thread, and of the loop. */
        private int delayed;

        private int sampled;
        private int named;
        /** The stacks of those that have a sample of a thread, but were mostly not delayed by the loop. */
        private final List<List<String>> unnamed = new ArrayList<>();
        /** True if the last one had not stopped all threads when the recording ended. */
        private final boolean waitsAtTheEnd;

        Recorded(Profile profile) {
            long reaching = 0;
            long ofThreads = 0;
            long ofLoop = 0;
            List<String> stacks = new ArrayList<>();
            for (int i = 0; i < profile.sampleCount(); i++) {
                List<Frame> rootFirst = profile.stack(i).frames();
                if (profile.stateOf(i).equals("reaching")) {
                    assertThat(rootFirst.getFirst().label()).isEqualTo("[time to safepoint]");
                    reaching += profile.valueOf(i);
                    ofThreads += rootFirst.getLast().label().equals(NOT_SAMPLED) ? 0 : profile.valueOf(i);
                    ofLoop += innermost(rootFirst).filter(LOOP::equals).isPresent() ? profile.valueOf(i) : 0;
                    stacks.add(profile.valueOf(i)
                            + " ns: "
                            + rootFirst.stream().map(Frame::label).toList());
                } else {
                    assertThat(rootFirst.getFirst().label()).isEqualTo("[at safepoint]");
                    safepoints.add(new Safepoint(reaching, reaching + profile.valueOf(i)));
                    delayed += reaching >= LONG_NANOS ? 1 : 0;
                    sampled += reaching >= LONG_NANOS && ofThreads > 0 ? 1 : 0;
                    if (reaching >= LONG_NANOS && 2 * ofLoop > reaching) {
                        named++;
                    } else if (reaching >= LONG_NANOS && ofThreads > 0) {
                        unnamed.add(List.copyOf(stacks));
                    }
                    stacks.clear();
                    reaching = 0;
                    ofThreads = 0;
                    ofLoop = 0;
                }
            }
            waitsAtTheEnd = reaching > 0;
        }

        private static Optional<String> innermost(List<Frame> rootFirst) {
            return rootFirst.reversed().stream()
                    .filter(frame -> frame instanceof Frame.Managed)
                    .map(Frame::label)
                    .findFirst();
        }
    }

    private static List<Safepoint> logged(Path log) throws IOException {
        List<Safepoint> logged = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            Matcher now = LOGGED.matcher(line);
            Matcher then = LOGGED_BY_11.matcher(line);
            if (now.find()) {
                logged.add(new Safepoint(Long.parseLong(now.group(1)), Long.parseLong(now.group(2))));
            } else if (then.find()) {
                logged.add(new Safepoint(nanos(then.group(2)), nanos(then.group(1))));
            }
        }
        return logged;
    }

    private static long nanos(String seconds) {
        return Math.round(Double.parseDouble(seconds) * 1e9);
    }

    private static long number(Profile profile, String note) {
        return profile.ledger().notes().stream()
                .map(Pattern.compile(note)::matcher)
                .filter(Matcher::matches)
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .findFirst()
                .orElse(0);
    }

    /** Asserts that every recorded safepoint is in the log, and that those in between are counted. */
    private static void assertLogged(Recorded recorded, List<Safepoint> log, Profile profile, Jdk jdk) {
        String evidence = InProcessRecording.evidence(profile) + recorded.safepoints + log;
        // A safepoint in which the JVM ends is recorded until then, and not logged.
        long unfinished = number(profile, "safepoints that had not ended when the recording ended: (\\d+)");
        int unlogged = Math.toIntExact(unfinished) - (recorded.waitsAtTheEnd ? 1 : 0);
        List<Safepoint> ended = recorded.safepoints.subList(0, recorded.safepoints.size() - unlogged);
        int first = -1;
        int next = 0;
        for (Safepoint each : ended) {
            while (next < log.size() && !each.isLogged(log.get(next), jdk)) {
                next++;
            }
            assertThat(next).as("%s is in the log: %s", each, evidence).isLessThan(log.size());
            first = first < 0 ? next : first;
            next++;
        }
        long counted = number(profile, "safepoints: (\\d+)") - unfinished;
        long unknown = number(profile, "safepoints with unknown times: (\\d+);.*");
        assertThat(ended.size() + unknown).as(evidence).isEqualTo(counted);
        assertThat(counted).as(evidence).isBetween((long) next - first, next - first + unknown);
        assertThat(ended.size()).as(evidence).isGreaterThan(SAFEPOINTS / 2);
    }

    private static String[] options(Path log) {
        return new String[] {"-XX:+UseSerialGC", "-Xlog:safepoint:file=" + log + ":none"};
    }

    /** Compares a recording with the log of the same time. */
    private void assertEqual(Jdk jdk, List<String> under, boolean sampled, String... event) throws Exception {
        Path log = folder.resolve("safepoints.log");
        Path file = folder.resolve("safepoints.mayfly");
        try (Jvm jvm = Jvm.run("CountedLoops")
                .on(jdk)
                .under(under.toArray(String[]::new))
                .with(options(log))
                .start()) {
            int before = logged(log).size();
            EventRecording.during(jvm, "run " + SAFEPOINTS, under, file, event);
            List<Safepoint> logged = logged(log);
            List<Safepoint> since = logged.subList(before, logged.size());
            Profile profile = CaptureReader.read(file);
            String evidence = InProcessRecording.evidence(profile);
            Recorded recorded = new Recorded(profile);
            assertLogged(recorded, since, profile, jdk);
            assertThat(recorded.delayed).as("delayed by 10 ms: %s", evidence).isGreaterThan(SAFEPOINTS / 4);
            if (sampled) {
                // On a busy machine, the loop may get no CPU while a safepoint waits for it.
                assertThat(recorded.sampled).as(evidence).isGreaterThan(recorded.delayed / 2);
                assertThat((double) recorded.named / recorded.sampled)
                        .as("named, of %d: %s, but %s", recorded.sampled, evidence, recorded.unnamed)
                        .isGreaterThan(0.9);
                assertThat(profile.ledger().notes())
                        .as(evidence)
                        .anyMatch(note -> note.startsWith("delayed most by " + LOOP));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void safepointsHaveTheTimesOfTheLogAndTheLoopThatDelaysThem(Jdk jdk) throws Exception {
        assertEqual(jdk, List.of(), true, "safepoint");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void safepointsWithoutPerfEventsHaveTheTimesOfTheLog(Jdk jdk) throws Exception {
        assertEqual(jdk, List.of(), false, "safepoint", "--collector", "ptrace");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void anOrdinaryUsersRecordingHasTheLoopThatDelaysSafepoints(Jdk jdk) throws Exception {
        List<String> asNobody = Privileges.asNobody();
        long paranoid = Checks.setting("kernel/perf_event_paranoid");
        assumeTrue(paranoid <= 2, "kernel.perf_event_paranoid is " + paranoid + ", more than 2");
        Privileges.giveToNobody(folder);
        assertEqual(jdk, asNobody, true, "safepoint");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void safepointsOfAProgramThatMayflyStartsHaveTheTimesOfTheLog(Jdk jdk) throws Exception {
        Path log = folder.resolve("safepoints.log");
        Path file = folder.resolve("safepoints.mayfly");
        List<String> program =
                Jvm.run("CountedLoops").on(jdk).with(options(log)).command();
        EventRecording.ofStarted(program, List.of("run " + SAFEPOINTS), file, "safepoint");
        Profile profile = CaptureReader.read(file);
        assertLogged(new Recorded(profile), logged(log), profile, jdk);
    }
}
