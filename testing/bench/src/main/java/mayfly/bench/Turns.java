package mayfly.bench;

import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import mayfly.kit.Cpu;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/** The work that a WorkOnRequest target completed during its turn. */
final class Turns {
    /** The time before each window that is not counted: it fills caches and contains the cost of the switch itself. */
    private static final int LEAD_MILLIS = 20;

    /** The kind of work, by the target's own word. */
    enum Work {
        PLATFORM("work", "one platform thread"),
        VIRTUAL("yields", "8 virtual threads that yield, on one carrier"),
        CLASSES("classes", "one thread that defines and initialises classes");

        private final String word;
        private final String title;

        Work(String word, String title) {
            this.word = word;
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /**
     * Two measures of a rate: by the clock, which is affected by other users of the machine, and by CPU time of the
     * whole JVM.
     */
    enum By {
        CLOCK,
        CPU_TIME
    }

    private Turns() {}

    static Jvm start(Jdk jdk) {
        return Jvm.run("WorkOnRequest")
                .on(jdk)
                .with(
                        "-Xms128m",
                        "-Xmx128m",
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=1")
                .start();
    }

    /** Returns the work per second, by each of {@link By}. */
    static double[] rates(Jvm jvm, Work work, int millis) {
        jvm.ask(work.word + " " + LEAD_MILLIS);
        Map<Integer, Long> before = cpuNanos(jvm);
        String[] words = jvm.ask(work.word + " " + millis).split(" ");
        long cpu = 0;
        for (Map.Entry<Integer, Long> thread : cpuNanos(jvm).entrySet()) {
            cpu += thread.getValue() - before.getOrDefault(thread.getKey(), 0L);
        }
        double done = Double.parseDouble(words[0]) * 1e9;
        return new double[] {done / Double.parseDouble(words[1]), done / cpu};
    }

    /** Returns the CPU time of each thread; a thread that ends during the call is omitted. */
    private static Map<Integer, Long> cpuNanos(Jvm jvm) {
        Map<Integer, Long> found = new HashMap<>();
        for (Integer tid : Cpu.ofThreads(jvm.pid()).keySet()) {
            try {
                found.put(tid, Cpu.schedNanos(jvm.pid(), tid));
            } catch (UncheckedIOException e) {
                // The thread has just ended.
                found.remove(tid);
            }
        }
        return found;
    }

    /** Runs the work for this time, so that its code is compiled. */
    static void warmUp(Jvm jvm, Work work, int millis) {
        jvm.ask(work.word + " " + millis);
    }
}
