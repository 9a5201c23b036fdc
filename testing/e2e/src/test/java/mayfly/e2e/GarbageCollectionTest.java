package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profile.Detail;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.capture.CaptureReader;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Recordings of garbage collection, compared with the log that the JVM writes of it. */
class GarbageCollectionTest {
    private static final int ROUNDS = Scale.count(15, 150);
    private static final String RUN = "run " + ROUNDS;
    private static final int UNSUPPORTED = 5;
    private static final String UNKNOWN = "cause unknown";
    /** The log has its durations in microseconds. */
    private static final long ROUNDING = 1_000;
    /**
     * The log's time of a pause begins a little earlier and ends a little later, and contains what the JVM does in
     * between, such as starting threads for its first collection, and what a busy machine does.
     */
    private static final long DEVIATION = 1_000_000;

    private static final double DEVIATION_SHARE = 0.1;
    /** The counters' time of a full collection by G1 contains that of the log in JDK 11. */
    private static final int OLDEST_WITH_LONGER_LOG = 17;

    /** A line begins with the time at which it was written, that of System.nanoTime. */
    private static final Pattern LOGGED = Pattern.compile(
            "\\[(\\d+)ns].* Pause (Young|Full|Remark|Cleanup|Initial Mark)\\b.* \\d+M->\\d+M\\(\\d+M\\) ([0-9.]+)ms");

    private static final Pattern CAUSE = Pattern.compile("\\(((?:[^()]|\\(\\))+)\\) \\d+M->");

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    static List<Arguments> collectors(TestInfo test) {
        return Scale.jdks(test, List.of("Serial", "Parallel", "G1"));
    }

    /**
     * One pause.
     *
     * @param ended its end, or the time at which its line was written
     * @param cause empty if the JVM gives none
     */
    private record Pause(String kind, String cause, long nanos, long ended) {}

    private static List<Pause> recorded(Profile profile) {
        List<Pause> recorded = new ArrayList<>();
        for (int i = 0; i < profile.sampleCount(); i++) {
            List<String> rootFirst = profile.stack(i).frames().stream()
                    .map(Frame::label)
                    .map(label -> label.substring(1, label.length() - 1))
                    .toList();
            assertThat(rootFirst.getFirst()).isEqualTo("collection");
            assertThat(rootFirst).hasSizeBetween(2, 3);
            String cause = rootFirst.size() > 2 ? rootFirst.get(2) : "";
            recorded.add(new Pause(profile.stateOf(i), cause, profile.valueOf(i), profile.nanosOf(i)));
        }
        return recorded;
    }

    private static List<Pause> logged(Path log) throws IOException {
        List<Pause> logged = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            Matcher pause = LOGGED.matcher(line);
            if (pause.find()) {
                Matcher cause = CAUSE.matcher(line);
                logged.add(new Pause(
                        kind(pause.group(2)),
                        cause.find() ? cause.group(1) : "",
                        Math.round(Double.parseDouble(pause.group(3)) * 1e6),
                        Long.parseLong(pause.group(1))));
            }
        }
        return logged;
    }

    private static String kind(String word) {
        return switch (word) {
            case "Young", "Initial Mark" -> "young";
            case "Full" -> "full";
            default -> "concurrent";
        };
    }

    private static long number(Profile profile, String note) {
        return profile.ledger().notes().stream()
                .map(Pattern.compile(note)::matcher)
                .filter(Matcher::matches)
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .findFirst()
                .orElse(0);
    }

    /**
     * Asserts that each recorded pause is in the log, and that the others are counted. The line of a pause is written
     * after its begin, and before the next pause begins.
     */
    private static void assertLogged(Profile profile, List<Pause> log, Jdk jdk) {
        List<Pause> recorded = recorded(profile);
        String evidence = InProcessRecording.evidence(profile) + recorded + "\n" + log;
        int next = 0;
        int similar = 0;
        int named = 0;
        for (Pause each : recorded) {
            while (next < log.size() && log.get(next).ended() < each.ended() - each.nanos()) {
                next++;
            }
            assertThat(next).as("%s is in the log: %s", each, evidence).isLessThan(log.size());
            Pause line = log.get(next++);
            assertThat(each.kind()).as("%s, %s: %s", each, line, evidence).isEqualTo(line.kind());
            if (jdk.feature() >= OLDEST_WITH_LONGER_LOG) {
                assertThat(each.nanos())
                        .as("%s is within %s: %s", each, line, evidence)
                        .isLessThanOrEqualTo(line.nanos() + ROUNDING);
                assertThat(each.ended()).as(evidence).isLessThanOrEqualTo(line.ended());
            }
            long deviation = Math.abs(each.nanos() - line.nanos());
            similar += deviation <= DEVIATION_SHARE * line.nanos() + DEVIATION ? 1 : 0;
            if (!each.cause().equals(UNKNOWN)) {
                named++;
                assertThat(each.cause()).as("%s, %s: %s", each, line, evidence).isEqualTo(line.cause());
            }
        }
        assertThat((double) similar / recorded.size())
                .as("durations of the log: %s", evidence)
                .isGreaterThan(0.75);
        // On a busy machine, two pauses can fall between two readings.
        assertThat((double) named / recorded.size()).as("causes: %s", evidence).isGreaterThan(0.5);
        long missed = number(profile, "collection pauses with unknown times: (\\d+),.*");
        assertThat(recorded.size() + missed).as(evidence).isEqualTo(log.size());
        assertThat(number(profile, "collection pauses: (\\d+)")).as(evidence).isEqualTo(log.size());
        assertThat(recorded.size()).as(evidence).isGreaterThan(ROUNDS);
    }

    private static Jvm.Plan collecting(Jdk jdk, String collector, Path log) {
        return Jvm.run("Collections")
                .on(jdk)
                .with(
                        "-XX:+Use" + collector + "GC",
                        "-Xms160m",
                        "-Xmx160m",
                        "-Xmn24m",
                        "-Xlog:gc:file=" + log + ":timenanos");
    }

    private static Profile read(Path file) throws Exception {
        try (InputStream in = Files.newInputStream(file)) {
            return CaptureReader.read(in, Detail.EVERY_SAMPLE, CaptureReader.ANY_REACH, "gc");
        }
    }

    /** Compares a recording with the log of the same time. */
    private Profile assertLogged(Jdk jdk, String collector, List<String> under, List<String> options, String... event)
            throws Exception {
        Path log = folder.resolve("gc.log");
        Path file = folder.resolve("gc.mayfly");
        try (Jvm jvm = collecting(jdk, collector, log)
                .with(options.toArray(String[]::new))
                .under(under.toArray(String[]::new))
                .start()) {
            int before = logged(log).size();
            EventRecording.during(jvm, RUN, under, file, event);
            List<Pause> logged = logged(log);
            Profile profile = read(file);
            assertLogged(profile, logged.subList(before, logged.size()), jdk);
            return profile;
        }
    }

    @ParameterizedTest
    @MethodSource("collectors")
    void pausesHaveTheTimesAndCausesOfTheLog(String collector, Jdk jdk) throws Exception {
        Profile profile = assertLogged(jdk, collector, List.of(), List.of(), "gc");
        assertThat(recorded(profile)).extracting(Pause::kind).contains("young", "full");
        assertThat(recorded(profile)).extracting(Pause::cause).contains("System.gc()");
        assertThat(profile.threads()).extracting(thread -> thread.name()).containsOnly("VM Thread");
        assertThat(profile.ledger().notes())
                .anyMatch(note -> note.startsWith("in collection pauses: "))
                .anyMatch(note -> note.startsWith("by garbage collector and cause: "));
    }

    /** A collection that System.gc() begins is concurrent too: a full one would abort each cycle. */
    @ParameterizedTest
    @MethodSource("jdks")
    void pausesOfConcurrentCyclesHaveTheTimesOfTheLog(Jdk jdk) throws Exception {
        Profile profile = assertLogged(
                jdk,
                "G1",
                List.of(),
                List.of("-XX:InitiatingHeapOccupancyPercent=0", "-XX:+ExplicitGCInvokesConcurrent"),
                "gc");
        assertThat(recorded(profile)).extracting(Pause::kind).contains("young", "concurrent");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void anOrdinaryUsersRecordingHasThePausesOfTheLog(Jdk jdk) throws Exception {
        List<String> asNobody = Privileges.asNobody();
        Privileges.giveToNobody(folder);
        assertLogged(jdk, "G1", asNobody, List.of(), "gc");
    }

    /** As in a container without a file system for the file of the counters. */
    @ParameterizedTest
    @MethodSource("jdks")
    void countersWithoutAFileHaveThePausesOfTheLog(Jdk jdk) throws Exception {
        assertLogged(jdk, "Serial", List.of(), List.of("-XX:+PerfDisableSharedMem"), "gc", "--collector", "ptrace");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void pausesBesideOtherEventsAreThoseOfTheLog(Jdk jdk) throws Exception {
        Profile profile = assertLogged(jdk, "Parallel", List.of(), List.of(), "cpu,gc,safepoint");
        assertThat(profile.recording().events())
                .extracting(event -> event.name())
                .containsExactly("cpu", "gc", "safepoint");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void pausesOfAProgramThatMayflyStartsAreThoseOfTheLog(Jdk jdk) throws Exception {
        Path log = folder.resolve("gc.log");
        Path file = folder.resolve("gc.mayfly");
        EventRecording.ofStarted(collecting(jdk, "Serial", log).command(), List.of(RUN), file, "gc");
        assertLogged(read(file), logged(log), jdk);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void jvmWithoutCountersIsRefused(Jdk jdk) throws Exception {
        Path file = folder.resolve("gc.mayfly");
        try (Jvm jvm = Jvm.run("Busy").on(jdk).with("-XX:-UsePerfData").start()) {
            Command refused = CommandLine.run(
                    "record", "-e", "gc", "-d", "300ms", "-o", file.toString(), Long.toString(jvm.pid()));
            assertThat(refused.exitCode()).as(refused.evidence()).isEqualTo(UNSUPPORTED);
            assertThat(refused.stderr()).contains("no counters of collection pauses", "-XX:+UsePerfData");
        }
        List<String> program = collecting(jdk, "Serial", folder.resolve("gc.log"))
                .with("-XX:-UsePerfData")
                .command();
        EventRecording.ofStarted(program, List.of("run 1"), file, "gc");
        assertThat(read(file).ledger().alarms())
                .singleElement()
                .asString()
                .endsWith(" are missing: it has no counters of them");
    }
}
