package mayfly.bench;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import mayfly.bench.Rival.Recorded;
import mayfly.bench.Rival.RivalFailed;
import mayfly.kit.Cpu;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Project;

/** The share of the samples that reach the root of their thread. The rivals record the same JVM one after the other. */
final class Stacks {
    private static final int HZ = 999;
    private static final Duration FIRST = Duration.ofSeconds(5);
    private static final Duration MAX_DURATION = Duration.ofSeconds(120);

    /**
     * The program of a target.
     *
     * @param name as shown in the tables
     * @param plan the plan to start it
     */
    record Load(String name, Jvm.Plan plan) {}

    private Stacks() {}

    static List<Load> loads(Jdk jdk, boolean stress) {
        if (!stress) {
            return List.of(
                    new Load("H2", plan(jdk, "H2Load")),
                    new Load(
                            "ecj",
                            plan(jdk, "EcjLoad").args(Project.sourceTree().toString())));
        }
        var loads = new java.util.ArrayList<Load>();
        loads.add(new Load("mix", plan(jdk, "Stress").args("mix")));
        for (String mode :
                List.of("megamorphic", "intrinsics", "recursion", "classes", "exceptions", "reflection", "native")) {
            loads.add(new Load(mode, plan(jdk, "Stress").args(mode)));
        }
        for (String flag : List.of("-Xint", "-Xcomp", "-XX:+UseZGC", "-XX:+UseShenandoahGC", "-XX:+UseParallelGC")) {
            loads.add(new Load("mix " + flag, plan(jdk, "Stress").with(flag).args("mix")));
        }
        if (jdk.feature() >= 21) {
            loads.add(new Load("200 virtual threads", plan(jdk, "Stress").args("virtual")));
        }
        return loads;
    }

    private static Jvm.Plan plan(Jdk jdk, String main) {
        return Jvm.run(main).on(jdk).with("-Xmx256m");
    }

    static void measure(Page page, List<Rival> rivals, Jdk jdk, Load load, long wanted) {
        try (Jvm jvm = load.plan.start()) {
            for (Rival rival : rivals) {
                Duration duration;
                try {
                    long before = Cpu.of(jvm.pid()).totalNanos();
                    Windows.rest(Duration.ofSeconds(2));
                    double busy = Math.max(0.05, (Cpu.of(jvm.pid()).totalNanos() - before) / 2e9);
                    duration = between(FIRST, Duration.ofMillis((long) (1100.0 * wanted / (HZ * busy))), MAX_DURATION);
                    page.progress("stacks: " + jdk + ", " + load.name + ", " + rival.name() + ", "
                            + duration.toSeconds() + " s");
                    Recorded recorded = rival.record(jvm, HZ, duration);
                    long got = recorded.counts().total();
                    if (got < wanted && duration.compareTo(MAX_DURATION) < 0) {
                        // The JIT compilers were busy, too, at the time of the look.
                        duration = between(
                                FIRST,
                                duration.multipliedBy(110 * wanted / Math.max(1, got))
                                        .dividedBy(100),
                                MAX_DURATION);
                        page.progress("only " + got + " samples; again, " + duration.toSeconds() + " s");
                        recorded = rival.record(jvm, HZ, duration);
                    }
                    report(page, jdk, load, rival, recorded);
                } catch (RivalFailed e) {
                    page.note(jdk + ", " + load.name + ", " + rival.name() + ": " + e.getMessage());
                }
            }
        } catch (AssertionError e) {
            page.note(jdk + ", " + load.name + ": " + e.getMessage());
        }
    }

    private static Duration between(Duration least, Duration wanted, Duration most) {
        if (wanted.compareTo(most) > 0) {
            return most;
        }
        return wanted.compareTo(least) < 0 ? least : wanted;
    }

    private static void report(Page page, Jdk jdk, Load load, Rival rival, Recorded recorded) {
        long total = recorded.counts().total();
        page.row(
                jdk.feature(),
                load.name,
                rival.name(),
                total,
                total == 0 ? "" : "%.3f".formatted(Math.floor(100_000.0 * recorded.complete() / total) / 1000),
                recorded.missing().entrySet().stream()
                        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                        .limit(6)
                        .map(e -> e.getKey() + " " + e.getValue())
                        .collect(Collectors.joining(", ")));
    }
}
