package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profile.BadCapture;
import mayfly.profile.Detail;
import mayfly.profile.Ledger;
import mayfly.profile.Profile;
import mayfly.profile.SampledEvent;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Recordings of several events in one capture, on one time axis. */
class SeveralEventsTest {
    private static final int SAFEPOINTS = Scale.count(60, 400);
    private static final String EVENTS = "cpu,off-cpu,safepoint";
    private static final String RATE = "999";
    private static final long LONG_NANOS = 10_000_000;
    /** CPU time is sampled, and on a busy machine a timer expires late in each turn of a thread. */
    private static final double SHARE = 0.03;
    /** After a loss of records of switches, the threads' states are unknown for a while. */
    private static final double LOSSES_SHARE = 0.2;
    /** A thread is looked at 99 times a second. */
    private static final double POLLED_SHARE = 0.1;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    private static Profile read(Path file, String event) throws IOException, BadCapture {
        try (InputStream in = Files.newInputStream(file)) {
            return CaptureReader.read(in, Detail.EVERY_SAMPLE, CaptureReader.ANY_REACH, event);
        }
    }

    private static Jvm.Plan loops(Jdk jdk) {
        return Jvm.run("CountedLoops").on(jdk).with("-XX:+UseSerialGC");
    }

    /** Returns the sum of the values of a thread. */
    private static long nanos(Profile profile, String thread) {
        long sum = 0;
        for (int i = 0; i < profile.sampleCount(); i++) {
            sum += isOf(profile, i, thread) ? profile.valueOf(i) : 0;
        }
        return sum;
    }

    private static boolean isOf(Profile profile, int sample, String thread) {
        return profile.threads().get(profile.threadOf(sample)).name().equals(thread);
    }

    /** The time for which a thread runs and the time for which it waits are all of the recording's time. */
    private static void assertAddsUp(Path file, String thread, double share) throws Exception {
        Profile cpu = read(file, "cpu");
        Profile offCpu = read(file, "off-cpu");
        assertThat(cpu.recording().events())
                .extracting(SampledEvent::name)
                .containsExactly("cpu", "off-cpu", "safepoint");
        assertThat(cpu.warnings()).isEmpty();
        double duration = cpu.ledger().durationNanos();
        boolean hasLosses = cpu.ledger().lost() + offCpu.ledger().lost() > 0;
        assertThat((nanos(cpu, thread) + nanos(offCpu, thread)) / duration)
                .as(
                        "%s ran %d ns and waited %d ns: %s, %s",
                        thread,
                        nanos(cpu, thread),
                        nanos(offCpu, thread),
                        cpu.ledger().rows(),
                        offCpu.ledger().rows())
                .isCloseTo(1, within(hasLosses ? LOSSES_SHARE : share));
        for (Profile profile : List.of(cpu, offCpu)) {
            assertThat(profile.ledger().samples()).isEqualTo(profile.sampleCount());
        }
    }

    /** While a thread delays a safepoint, samples of its CPU time exist, or it waits. */
    private static void assertSameAxis(Path file) throws Exception {
        Profile safepoints = read(file, "safepoint");
        Profile cpu = read(file, "cpu");
        Profile offCpu = read(file, "off-cpu");
        int delays = 0;
        int seen = 0;
        for (int i = 0; i < safepoints.sampleCount(); i++) {
            if (isOf(safepoints, i, "loops") && safepoints.valueOf(i) >= LONG_NANOS) {
                long end = safepoints.nanosOf(i);
                long begin = end - safepoints.valueOf(i);
                delays++;
                seen += hasSample(cpu, begin, end) || hasSample(offCpu, begin, end) ? 1 : 0;
            }
        }
        assertThat(delays).as("long delays by the loop").isGreaterThan(SAFEPOINTS / 4);
        assertThat((double) seen / delays).as("of %d delays", delays).isGreaterThan(0.8);
    }

    private static boolean hasSample(Profile profile, long begin, long end) {
        for (int i = 0; i < profile.sampleCount(); i++) {
            long at = profile.nanosOf(i);
            if (at >= begin && at <= end && isOf(profile, i, "loops")) {
                return true;
            }
        }
        return false;
    }

    private static void assertComplete(Path file) throws Exception {
        for (String event : EVENTS.split(",")) {
            Profile profile = read(file, event);
            for (int i = 0; i < profile.sampleCount(); i++) {
                if (!isOf(profile, i, "loops") && !isOf(profile, i, "main")) {
                    continue; // stacks of compiler threads can be larger than what the kernel copies
                }
                assertThat(profile.outcomeOf(i))
                        .as("%s: %s", event, profile.stack(i))
                        .isIn(WalkOutcome.COMPLETE, WalkOutcome.NOT_COPIED);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void runningAndWaitingTimeOfAThreadIsTheTimeOfTheRecording(Jdk jdk) throws Exception {
        Path file = folder.resolve("several.mayfly");
        try (Jvm jvm = loops(jdk).start()) {
            EventRecording.during(jvm, "run " + SAFEPOINTS, List.of(), file, EVENTS, "-F", RATE);
        }
        assertAddsUp(file, "loops", SHARE);
        assertAddsUp(file, "main", SHARE);
        assertSameAxis(file);
        assertComplete(file);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void anOrdinaryUsersRecordingHasAllEvents(Jdk jdk) throws Exception {
        List<String> asNobody = Privileges.asNobody();
        long paranoid = Checks.setting("kernel/perf_event_paranoid");
        assumeTrue(paranoid == 2, "kernel.perf_event_paranoid is " + paranoid + ", not 2");
        Path file = Privileges.giveToNobody(folder).resolve("several.mayfly");
        try (Jvm jvm = loops(jdk).under(asNobody.toArray(String[]::new)).start()) {
            EventRecording.during(jvm, "run " + SAFEPOINTS, asNobody, file, EVENTS, "-F", RATE);
        }
        for (String event : EVENTS.split(",")) {
            Ledger ledger = read(file, event).ledger();
            assertThat(ledger.collector())
                    .as("%s has a part of the memory: %s", event, ledger.notes())
                    .contains("perf, ");
        }
        assertAddsUp(file, "loops", SHARE);
        assertSameAxis(file);
        assertComplete(file);
    }

    /** As where a filter or a setting refuses perf events. Safepoints have no samples of threads then. */
    @ParameterizedTest
    @MethodSource("jdks")
    void eventsWithoutPerfAddUpToo(Jdk jdk) throws Exception {
        Path file = folder.resolve("several.mayfly");
        try (Jvm jvm = loops(jdk).start()) {
            EventRecording.during(jvm, "run " + SAFEPOINTS, List.of(), file, EVENTS, "--collector", "ptrace");
        }
        assertAddsUp(file, "loops", POLLED_SHARE);
        assertThat(read(file, "safepoint").sampleCount()).isGreaterThan(SAFEPOINTS / 2);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void programThatMayflyStartsHasAllEvents(Jdk jdk) throws Exception {
        Path file = folder.resolve("several.mayfly");
        List<String> program = loops(jdk).command();
        EventRecording.ofStarted(program, List.of("run " + SAFEPOINTS), file, EVENTS, "-F", RATE);
        for (String event : EVENTS.split(",")) {
            assertThat(read(file, event).sampleCount()).as(event).isPositive();
        }
        assertSameAxis(file);
    }
}
