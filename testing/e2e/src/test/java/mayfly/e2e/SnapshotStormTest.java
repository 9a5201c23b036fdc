package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import mayfly.discovery.Refused;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.stack.DumpedThread;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadDumper;
import mayfly.stack.ThreadWalk;
import mayfly.stack.WalkStatus;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Continuous snapshots in one session of a JVM that collects garbage, starts threads and unloads classes all the time:
 * no frame is impossible, and the JVM's own work yields correct results.
 */
class SnapshotStormTest {
    private static final int TOGETHER_EVERY = 10;
    private static final String IN_CHAINS = "mayfly.targets.Chains$";
    private static final List<String> DOWN = List.of("Down.run", "Down.a", "Down.b", "Down.c", "Down.d", "Down.e");
    private static final List<String> COLLECTORS =
            List.of("-XX:+UseG1GC", "-XX:+UseZGC", "-XX:+UseShenandoahGC", "-XX:+UseParallelGC", "-XX:+UseSerialGC");
    private static final List<String> REDUCED = List.of("17 -XX:+UseSerialGC", "25 -XX:+UseG1GC");

    record Case(Jdk jdk, String collector) {
        @Override
        public String toString() {
            return collector + " on " + jdk;
        }
    }

    static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (Jdk jdk : Scale.jdks()) {
            for (String collector : COLLECTORS) {
                boolean full = jdk.feature() == 17 || jdk.feature() == 25;
                if (Scale.DEEP ? full && runs(jdk, collector) : REDUCED.contains(jdk.feature() + " " + collector)) {
                    cases.add(new Case(jdk, collector));
                }
            }
        }
        return cases;
    }

    private static boolean runs(Jdk jdk, String collector) {
        return Command.run(Duration.ofSeconds(30), jdk.tool("java").toString(), collector, "-version")
                        .exitCode()
                == 0;
    }

    @Requirement({"T-01", "S-13", "S-20"})
    @ParameterizedTest
    @MethodSource("cases")
    void dumpsUnderLoadHaveNoImpossibleFrameAndDisturbNothing(Case how) throws Exception {
        // All configurations together take ten thousand dumps.
        int dumps = Scale.count(10, how.jdk().feature() == 25 && how.collector().contains("G1") ? 5_500 : 500);
        Map<String, Integer> outcomes = new TreeMap<>();
        int walks = 0;
        int broken = 0;
        try (Jvm jvm = Jvm.run("SelfCheckingLoad")
                        .on(how.jdk())
                        .with(how.collector(), "-Xmx128m")
                        .args("gc", "churn", "classes", "chains")
                        .start();
                ThreadDumper dumper = ThreadDumper.open((int) jvm.pid())) {
            Map<String, Long> before = Steadiness.counts(jvm, how.toString());
            for (int i = 0; i < dumps; i++) {
                boolean together = i % TOGETHER_EVERY == 0;
                ThreadDump dump = dump(dumper, together, "dump " + i + " of " + how + " after " + outcomes);
                assertThat(dump.threads())
                        .as("dump %d of %s", i, how)
                        .extracting(DumpedThread::kernelName)
                        .contains("chain-down", "chain-turns", "chain-many", "VM Thread");
                for (DumpedThread thread : dump.threads()) {
                    assertPossible(thread, "dump " + i + " of " + how + (together ? ", together" : ""));
                    ThreadWalk result = thread.result();
                    outcomes.merge(
                            (result.status() + " " + result.outcome().id() + " " + result.reason()).strip(),
                            1,
                            Integer::sum);
                    walks++;
                    broken += result.status() == WalkStatus.STACK_SNAPSHOT_UNSAFE
                                    || result.outcome() == WalkOutcome.COMPLETE
                            ? 0
                            : 1;
                }
            }
            Map<String, Long> after = Steadiness.counts(jvm, how.toString());
            System.out.printf(
                    "%s: %d dumps, %s, meanwhile %d collections, %d short threads, %d rounds of loaders%n",
                    how,
                    dumps,
                    outcomes,
                    after.get("gc") - before.get("gc"),
                    after.get("churn") - before.get("churn"),
                    after.get("classes") - before.get("classes"));
            Steadiness.assertRunsOn(jvm, how.toString());
        }
        assertThat(broken / (double) walks).as("%s: %s", how, outcomes).isLessThan(0.005);
    }

    private static ThreadDump dump(ThreadDumper dumper, boolean together, String what) {
        try {
            return dumper.dump(new ThreadDump.Options("", together, false, true), (done, all) -> {});
        } catch (Refused e) {
            throw new AssertionError(what, e);
        }
    }

    /**
     * Asserts that the stack of a thread with known calls is possible. A truncated or broken stack is possible
     * if it is a part of a possible one.
     */
    private static void assertPossible(DumpedThread thread, String what) {
        List<String> methods = thread.stack().stream()
                .map(DumpedThread.Entry::frame)
                .filter(Objects::nonNull)
                .filter(Frame.Managed.class::isInstance)
                .map(Frame::label)
                .toList();
        List<String> down = new ArrayList<>(methods);
        Collections.reverse(down);
        boolean whole =
                thread.result().status() == WalkStatus.DONE && thread.result().outcome() == WalkOutcome.COMPLETE;
        boolean possible = switch (thread.kernelName()) {
            case "chain-down" -> isPossible(down, whole, DOWN, List.of("Down.d", "Down.e"));
            case "chain-turns" -> isPossible(down, whole, turns(), List.of());
            case "chain-many" ->
                Stream.of("One", "Two", "Three", "Four")
                        .anyMatch(last -> isPossible(
                                down,
                                whole,
                                last.equals("Four")
                                        ? List.of("Many.run", "Many.call", "Four.applyAsLong", "Turns.bottom")
                                        : List.of("Many.run", "Many.call", last + ".applyAsLong"),
                                List.of(last + ".applyAsLong")));
            default -> true;
        };
        assertThat(possible)
                .as("%s: %s of %s, %s", what, thread.kernelName(), methods, thread.result())
                .isTrue();
    }

    private static List<String> turns() {
        List<String> turns = new ArrayList<>(List.of("Turns.run"));
        for (int i = 0; i < 40; i++) {
            turns.add(i % 2 == 0 ? "Turns.even" : "Turns.odd");
        }
        turns.add("Turns.bottom");
        return turns;
    }

    /**
     * Returns whether these frames, root first, are Thread.run and a beginning of the chain, followed by other frames
     * only where the chain calls other methods.
     */
    private static boolean isPossible(List<String> down, boolean whole, List<String> chain, List<String> callOthers) {
        int first = 0;
        while (first < down.size() && down.get(first).startsWith("java.lang.Thread.run")) {
            first++;
        }
        List<String> rest = down.subList(first, down.size());
        if (whole) {
            return first > 0 && isBeginning(rest, chain, callOthers);
        }
        // The frames of a broken stack may begin anywhere in the chain, or below it.
        return first == 0 && rest.stream().noneMatch(method -> method.startsWith(IN_CHAINS))
                || Stream.iterate(0, i -> i < chain.size(), i -> i + 1)
                        .anyMatch(i -> isBeginning(rest, chain.subList(i, chain.size()), callOthers));
    }

    private static boolean isBeginning(List<String> frames, List<String> chain, List<String> callOthers) {
        int same = 0;
        while (same < frames.size() && same < chain.size() && frames.get(same).equals(IN_CHAINS + chain.get(same))) {
            same++;
        }
        List<String> others = frames.subList(same, frames.size());
        return others.isEmpty()
                || same > 0
                        && callOthers.contains(chain.get(same - 1))
                        && others.stream().noneMatch(method -> method.startsWith("mayfly."));
    }
}
