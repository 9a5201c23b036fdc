package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.List;
import java.util.function.LongUnaryOperator;
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
     * Upper bound on the time of a turn that samples count and /proc does not. While the kernel switches threads, the
     * timer of a perf event cannot expire; it expires in the turn that follows. With 20,000 turns a second, 14 µs were
     * seen for each turn with one event for each CPU, and 6 µs with one for each thread.
     */
    private static final double SWITCH_NANOS = 15_000;

    private static final double ENOUGH_NANOS = 0.5e9;
    private static final int LONGER = 3;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void sampledCpuTimeOfBusyThreadsEqualsTheKernels(int threads) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").args(Integer.toString(threads)).start()) {
            assertAccounted(jvm, 999, Collector.AUTO, Cpu::turns);
            if (Scale.DEEP) {
                assertAccounted(jvm, 999, Collector.PER_THREAD, Cpu::turns);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("mayfly.e2e.DetachTest#jdksWithVirtualThreads")
    void sampledCpuTimeOfVirtualThreadsEqualsTheKernels(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Stress").on(jdk).args("virtual").start()) {
            assertAccounted(jvm, 999, Collector.AUTO, Cpu::turns);
            assertAccounted(jvm, 999, Collector.PER_THREAD, Cpu::turns);
        }
    }

    /**
     * The number of samples of a thread that runs for 0.45 ms is random, so the test allows a statistical error in
     * addition to the three percent.
     */
    @Test
    void sampledCpuTimeOfShortThreadsEqualsTheKernels() throws Exception {
        try (Jvm jvm = Jvm.run("Churn").start()) {
            assertAccounted(jvm, 4_999, Collector.SYSTEM_WIDE, pid -> Cpu.turns(pid) + turnsOfShortThreads(jvm));
        } catch (Refused e) {
            assumeTrue(false, "system-wide sampling is not permitted here: " + e.getMessage());
        }
    }

    /** The kernel does not count the turns of threads that have ended. */
    private static long turnsOfShortThreads(Jvm jvm) {
        String answer = jvm.ask("threads");
        return TURNS_OF_A_SHORT_THREAD * Long.parseLong(answer.replaceAll("threads=(\\d+) .*", "$1"));
    }

    private static boolean isDisturbed(Ledger ledger) {
        return ledger.procCpuNanos() < ENOUGH_NANOS || ledger.lost() > 0;
    }

    private static void assertAccounted(Jvm jvm, int rate, Collector collector, LongUnaryOperator turnsOf)
            throws Exception {
        Duration duration = Scale.seconds(3, 10);
        Cpu before = Cpu.of(jvm.pid());
        long turnsBefore = turnsOf.applyAsLong(jvm.pid());
        Profile profile = InProcessRecording.of(jvm, rate, duration, collector);
        // On a busy machine the program gets less CPU time and needs longer for the same amount, and the recorder can
        // run too late for the kernel's buffer.
        for (int i = 0; i < LONGER && isDisturbed(profile.ledger()); i++) {
            duration = duration.multipliedBy(2);
            before = Cpu.of(jvm.pid());
            turnsBefore = turnsOf.applyAsLong(jvm.pid());
            profile = InProcessRecording.of(jvm, rate, duration, collector);
        }
        Cpu around = Cpu.of(jvm.pid()).since(before);
        Ledger ledger = profile.ledger();
        double proc = ledger.procCpuNanos();
        double seen = ledger.sampledCpuNanos();
        double turns = turnsOf.applyAsLong(jvm.pid()) - turnsBefore;
        double chance = collector == Collector.PER_THREAD
                ? 0
                : DEVIATIONS * DEVIATION_OF_A_TURN * Math.sqrt(turns) * 1e9 / rate;
        double error = BIAS * proc + chance + TICKS_NANOS;
        String evidence = "%.3f s seen, %.3f s in /proc, %.3f s around the session, in %.0f turns%n%s"
                .formatted(
                        seen / 1e9, proc / 1e9, around.totalNanos() / 1e9, turns, InProcessRecording.evidence(profile));
        assertThat(proc)
                .as(evidence)
                .isGreaterThan(ENOUGH_NANOS)
                .isLessThanOrEqualTo(around.totalNanos() + TICKS_NANOS);
        assertThat(seen).as(evidence).isBetween(proc - error, proc + error + SWITCH_NANOS * turns);
        assertThat(List.of(ledger.lost(), ledger.throttled())).as(evidence).containsOnly(0L);
    }
}
