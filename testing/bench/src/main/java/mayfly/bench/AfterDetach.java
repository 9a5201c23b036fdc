package mayfly.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import mayfly.attach.channel.AttachFailed;
import mayfly.bench.Statistics.Interval;
import mayfly.bench.Turns.By;
import mayfly.bench.Turns.Work;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/**
 * Throughput before and after a profiler was attached and detached. Several JVMs take turns, with a short window each.
 * The first is a reference without attaches: each window of another JVM is divided by the reference's window of the
 * same turn, which removes effects of the machine that all JVMs share. A second JVM without attaches shows the noise.
 * There is one further JVM for each action between the windows.
 */
final class AfterDetach {
    private static final int SETS = 2;
    private static final int WINDOW_MILLIS = 120;
    private static final int WARM_UP_MILLIS = 1500;
    private static final int CYCLES = 3;
    private static final Duration COLLECTION_LIMIT = Duration.ofSeconds(60);

    /** The action on a JVM between its windows before and its windows after. */
    private enum Between {
        NOTHING("no attach", jvm -> {}),
        COLLECTION("no attach, collections by jcmd", Between::collect),
        WITHOUT_EVENT("without an event", jvm -> attach(jvm, BenchProfiler.Events.NONE)),
        ASYNCHRONOUS("every asynchronous event", jvm -> attach(jvm, BenchProfiler.Events.ASYNCHRONOUS)),
        EVERY_EVENT("every event, by JVMTI", jvm -> attach(jvm, BenchProfiler.Events.ALL));

        private final String title;
        private final Action action;

        private interface Action {
            void on(Jvm jvm) throws AttachFailed;
        }

        Between(String title, Action action) {
            this.title = title;
            this.action = action;
        }

        void run(Jvm jvm) throws AttachFailed {
            for (int i = 0; i < CYCLES; i++) {
                action.on(jvm);
            }
        }

        /** A detach collects, too: what these collections change is not due to the profiler. */
        private static void collect(Jvm jvm) {
            Command done = Command.run(
                    COLLECTION_LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), "GC.run");
            if (done.exitCode() != 0) {
                throw new IllegalStateException(done.evidence());
            }
        }

        private static void attach(Jvm jvm, BenchProfiler.Events events) throws AttachFailed {
            BenchProfiler.attach(jvm, events);
            BenchProfiler.detach(jvm);
        }
    }

    /**
     * The windows of one kind of attach, by one measure. Each is divided by the reference's window of the same turn,
     * then by the median of the windows before the attach.
     */
    private static final class Side {
        final List<Double> before = new ArrayList<>();
        final List<Double> after = new ArrayList<>();

        void add(double[] earlier, double[] later) {
            double median = Statistics.median(earlier);
            for (double rate : earlier) {
                before.add(rate / median);
            }
            for (double rate : later) {
                after.add(rate / median);
            }
        }

        String change() {
            Interval ratio = Statistics.ratioOfMedians(array(after), array(before));
            return new Interval(ratio.value() - 1, ratio.low() - 1, ratio.high() - 1).text(100);
        }
    }

    private AfterDetach() {}

    static void measure(Page page, Jdk jdk, Work work, int turns) {
        Side[][] sides = new Side[Between.values().length][By.values().length];
        for (Side[] ways : sides) {
            Arrays.setAll(ways, i -> new Side());
        }
        try {
            for (int set = 0; set < SETS; set++) {
                page.progress("lasting: %s, %s, set %d of %d".formatted(jdk, work.title(), set + 1, SETS));
                set(jdk, work, turns, sides);
            }
        } catch (AttachFailed e) {
            page.note(jdk + ", " + work.title() + ": " + e);
            return;
        }
        for (Between between : Between.values()) {
            Side[] ways = sides[between.ordinal()];
            page.row(
                    jdk.feature(),
                    work.title(),
                    between.title,
                    ways[0].after.size(),
                    ways[By.CLOCK.ordinal()].change(),
                    ways[By.CPU_TIME.ordinal()].change());
        }
    }

    private static void set(Jdk jdk, Work work, int turns, Side[][] sides) throws AttachFailed {
        List<Jvm> jvms = new ArrayList<>();
        try {
            // The reference is the first.
            for (int i = 0; i <= sides.length; i++) {
                jvms.add(Turns.start(jdk));
            }
            jvms.forEach(jvm -> Turns.warmUp(jvm, work, WARM_UP_MILLIS));
            double[][][] before = turns(jvms, work, turns);
            for (Between between : Between.values()) {
                between.run(jvms.get(between.ordinal() + 1));
            }
            double[][][] after = turns(jvms, work, turns);
            for (int i = 0; i < sides.length; i++) {
                for (By by : By.values()) {
                    sides[i][by.ordinal()].add(before[i][by.ordinal()], after[i][by.ordinal()]);
                }
            }
        } finally {
            jvms.forEach(Jvm::close);
        }
    }

    /**
     * Returns, for each JVM except the first and for each measure, the rate divided by that of the first JVM in each
     * turn.
     */
    private static double[][][] turns(List<Jvm> jvms, Work work, int turns) {
        double[][][] rates = new double[jvms.size() - 1][By.values().length][turns];
        for (int turn = 0; turn < turns; turn++) {
            double[] reference = Turns.rates(jvms.get(0), work, WINDOW_MILLIS);
            for (int i = 1; i < jvms.size(); i++) {
                double[] own = Turns.rates(jvms.get(i), work, WINDOW_MILLIS);
                for (By by : By.values()) {
                    rates[i - 1][by.ordinal()][turn] = own[by.ordinal()] / reference[by.ordinal()];
                }
            }
        }
        return rates;
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
