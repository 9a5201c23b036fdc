package mayfly.bench;

import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import mayfly.kit.Cpu;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/** What an OnDemand got done while it was its turn. */
final class Turns {
    /** Before each window, not counted: caches, and what a switch itself costs. */
    private static final int LEAD_MILLIS = 20;

    /** What it does, in its own word. */
    enum Work {
        PLATFORM("work", "one platform thread"), VIRTUAL("yields", "8 virtual threads that yield, on one carrier");

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
     * Two ways to tell a rate: by the clock, which suffers when others use the machine, and by CPU time of the whole
     * JVM.
     */
    enum By {
        CLOCK, CPU_TIME
    }

    private Turns() {
    }

    static Jvm start(Jdk jdk) {
        return Jvm.run("OnDemand").on(jdk).with("-Xms128m", "-Xmx128m", "-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=1").start();
    }

    /** Done for each second, by each of {@link By}. */
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

    /** Of each thread; one that ends meanwhile is left out. */
    private static Map<Integer, Long> cpuNanos(Jvm jvm) {
        Map<Integer, Long> found = new HashMap<>();
        for (Integer tid : Cpu.ofThreads(jvm.pid()).keySet()) {
            try {
                found.put(tid, Cpu.schedNanos(jvm.pid(), tid));
            } catch (UncheckedIOException e) {
                // It has just ended.
                found.remove(tid);
            }
        }
        return found;
    }

    /** Works for a while, so that it is compiled. */
    static void warmUp(Jvm jvm, Work work, int millis) {
        jvm.ask(work.word + " " + millis);
    }
}
