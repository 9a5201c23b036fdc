package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.discovery.Refused;
import mayfly.kit.Cpu;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profile.Ledger;
import mayfly.profile.Profile;
import mayfly.record.event.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The CPU time that the samples represent equals the CPU time in /proc. */
class CpuAccountTest {
    private static final double BIAS = 0.03;
    /** The resolution of /proc: one clock tick at either end. */
    private static final double TICKS_NANOS = 2 * 10_000_000.0;
    /**
     * If one perf event counts for a whole CPU, the number of samples in one turn of a thread is the length of the turn
     * in periods, randomly rounded at either end. This is the standard deviation of that rounding, in periods. A thread
     * that gets little CPU time has many short turns.
     */
    private static final double DEVIATION_OF_A_TURN = 0.41;

    private static final int DEVIATIONS = 4;
    /** A new thread has a turn in which it prepares itself, and one or more after its creator has let it start. */
    private static final int TURNS_OF_A_SHORT_THREAD = 2;
    /**
     * Upper bound on the time of a turn that samples count in another turn. While the kernel switches threads, the
     * timer of a perf event cannot expire; it expires in the turn that follows. With 20,000 turns a second, 14 µs were
     * seen for each turn with one event for each CPU, and 6 µs with one for each thread; and 44 µs while another
     * program was single-stepped, which slows every switch.
     */
    private static final double SWITCH_NANOS = 60_000;
    /**
     * The same bound where a program does little but start and end threads, as a share of the CPU time that this takes:
     * a slow machine switches threads slowly. At most 0.36 was seen.
     */
    private static final double SWITCH_SHARE = 0.45;

    private static final Pattern THREADS = Pattern.compile("threads=(\\d+) cpu=(\\d+)");
    private static final double ENOUGH_NANOS = 0.5e9;
    private static final int LONGER = 3;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void sampledCpuTimeOfBusyThreadsEqualsTheKernels(int threads) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").args(Integer.toString(threads)).start()) {
            assertAccounted(jvm, 999, Collector.AUTO, () -> Activity.of(jvm));
            if (Scale.DEEP) {
                assertAccounted(jvm, 999, Collector.PER_THREAD, () -> Activity.of(jvm));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("mayfly.e2e.DetachTest#jdksWithVirtualThreads")
    void sampledCpuTimeOfVirtualThreadsEqualsTheKernels(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Stress").on(jdk).args("virtual").start()) {
            assertAccounted(jvm, 999, Collector.AUTO, () -> Activity.of(jvm));
            assertAccounted(jvm, 999, Collector.PER_THREAD, () -> Activity.of(jvm));
        }
    }

    /**
     * The number of samples of a thread that runs for 0.45 ms is random, so the test allows a statistical error in
     * addition to the three percent.
     */
    @Test
    void sampledCpuTimeOfShortThreadsEqualsTheKernels() throws Exception {
        try (Jvm jvm = Jvm.run("Churn").start()) {
            assertAccounted(jvm, 4_999, Collector.SYSTEM_WIDE, () -> Activity.ofShortThreads(jvm));
        } catch (Refused e) {
            assumeTrue(false, "system-wide sampling is not permitted here: " + e.getMessage());
        }
    }

    /**
     * The activity of a program since its start.
     *
     * @param turns how often its threads got a CPU
     * @param work the CPU time that its short threads used by their own clocks, in nanoseconds; 0 if it has none
     */
    private record Activity(long turns, long work) {
        static Activity of(Jvm jvm) {
            return new Activity(Cpu.turns(jvm.pid()), 0);
        }

        /** The kernel does not count the turns of threads that have ended. */
        static Activity ofShortThreads(Jvm jvm) {
            Matcher answer = THREADS.matcher(jvm.ask("threads"));
            assertThat(answer.matches()).isTrue();
            long threads = Long.parseLong(answer.group(1));
            return new Activity(
                    Cpu.turns(jvm.pid()) + TURNS_OF_A_SHORT_THREAD * threads, Long.parseLong(answer.group(2)));
        }

        Activity since(Activity before) {
            return new Activity(turns - before.turns, work - before.work);
        }

        /** Returns an upper bound on the time that samples count in turns of other programs, and the reverse. */
        double lateNanos(Cpu around) {
            return work == 0 ? SWITCH_NANOS * turns : SWITCH_SHARE * (around.totalNanos() - work);
        }
    }

    private static boolean isDisturbed(Ledger ledger) {
        return ledger.procCpuNanos() < ENOUGH_NANOS || ledger.lost() > 0;
    }

    private static void assertAccounted(Jvm jvm, int rate, Collector collector, Supplier<Activity> activity)
            throws Exception {
        Duration duration = Scale.seconds(3, 10);
        Cpu before = Cpu.of(jvm.pid());
        Activity earlier = activity.get();
        Profile profile = InProcessRecording.of(jvm, rate, duration, collector);
        // On a busy machine the program gets less CPU time and needs longer for the same amount, and the recorder can
        // run too late for the kernel's buffer.
        for (int i = 0; i < LONGER && isDisturbed(profile.ledger()); i++) {
            duration = duration.multipliedBy(2);
            before = Cpu.of(jvm.pid());
            earlier = activity.get();
            profile = InProcessRecording.of(jvm, rate, duration, collector);
        }
        Cpu around = Cpu.of(jvm.pid()).since(before);
        Ledger ledger = profile.ledger();
        double proc = ledger.procCpuNanos();
        double seen = ledger.sampledCpuNanos();
        Activity during = activity.get().since(earlier);
        double chance = collector == Collector.PER_THREAD
                ? 0
                : DEVIATIONS * DEVIATION_OF_A_TURN * Math.sqrt(during.turns()) * 1e9 / rate;
        double error = BIAS * proc + chance + TICKS_NANOS;
        String evidence = "%.3f s seen, %.3f s in /proc, %.3f s around the session, %s%n%s"
                .formatted(
                        seen / 1e9,
                        proc / 1e9,
                        around.totalNanos() / 1e9,
                        during,
                        InProcessRecording.evidence(profile));
        assertThat(proc)
                .as(evidence)
                .isGreaterThan(ENOUGH_NANOS)
                .isLessThanOrEqualTo(around.totalNanos() + TICKS_NANOS);
        double late = during.lateNanos(around);
        assertThat(seen).as(evidence).isBetween(proc - error - late, proc + error + late);
        assertThat(List.of(ledger.lost(), ledger.throttled())).as(evidence).containsOnly(0L);
    }
}
