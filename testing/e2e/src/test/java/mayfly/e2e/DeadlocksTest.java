package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.ThreadPrint;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadDumper;
import mayfly.stack.state.LockReport;
import mayfly.stack.state.LockReport.AwaitedLock;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DeadlocksTest {
    private static final int DUMPS = Scale.count(20, 2_000);

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    private static Set<Set<String>> planted(String kinds) {
        return Arrays.stream(kinds.split(", "))
                .map(kind -> kind.split(" "))
                .<Set<String>>map(words -> IntStream.range(0, Integer.parseInt(words[1]))
                        .mapToObj(i -> words[0] + "-" + i)
                        .collect(Collectors.toCollection(TreeSet::new)))
                .collect(Collectors.toSet());
    }

    private static Set<String> names(LockReport.Deadlock deadlock) {
        return deadlock.members().stream().map(LockReport.Member::name).collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void eachPlantedDeadlockIsFoundWithItsThreadsInOrder(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Deadlocks").on(jdk).start();
                ThreadDumper dumper = ThreadDumper.open((int) jvm.pid())) {
            List<LockReport.Deadlock> found = dumper.dump(ThreadDump.Options.ALL, (done, total) -> {})
                    .locks()
                    .deadlocks();
            assertThat(found.stream().map(DeadlocksTest::names).collect(Collectors.toSet()))
                    .as(jvm.evidence())
                    .isEqualTo(planted(jvm.ask("kinds")));
            for (LockReport.Deadlock deadlock : found) {
                List<LockReport.Member> members = deadlock.members();
                for (int i = 0; i < members.size(); i++) {
                    AwaitedLock.Owner owner =
                            Objects.requireNonNull(members.get(i).lock().owner());
                    assertThat(owner.tid())
                            .isEqualTo(members.get((i + 1) % members.size()).tid());
                }
            }
            Command stack = CommandLine.run("stack", Long.toString(jvm.pid()));
            assertThat(stack.exitCode()).as(stack.evidence()).isZero();
            assertThat(stack.stdout())
                    .contains(
                            "Deadlock: 10 threads wait for one another",
                            "Deadlock of 10 threads:",
                            " waiting for the initialization of class mayfly.targets.Initializations$Super by ");
            if (jdk.feature() >= 17) {
                assertThat(initializations(found)).isEqualTo(initializations(ThreadPrint.of(jvm)));
            }
        }
    }

    /** Returns the classes for whose initialization threads wait, by the names of the threads. */
    private static Map<String, String> initializations(List<LockReport.Deadlock> found) {
        Map<String, String> classes = new TreeMap<>();
        found.stream()
                .flatMap(deadlock -> deadlock.members().stream())
                .filter(member -> member.lock().kind() == AwaitedLock.Kind.INITIALIZATION)
                .forEach(member -> classes.put(member.name(), member.lock().type()));
        return classes;
    }

    private static Map<String, String> initializations(ThreadPrint printed) {
        Map<String, String> classes = new TreeMap<>();
        for (ThreadPrint.PrintedThread thread : printed.threads()) {
            thread.awaited().stream()
                    .filter(lock -> lock.words().contains("Class initialization"))
                    .forEach(lock -> classes.put(thread.name(), lock.className()));
        }
        assertThat(classes).hasSizeGreaterThanOrEqualTo(8);
        return classes;
    }

    /** The threads wait for one another all the time, and never in a cycle. */
    @ParameterizedTest
    @MethodSource("jdks")
    void contentionIsNoDeadlock(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LocksInOrder").on(jdk).start();
                ThreadDumper dumper = ThreadDumper.open((int) jvm.pid())) {
            List<LockReport.Deadlock> found = new ArrayList<>();
            int withOwner = 0;
            for (int i = 0; i < DUMPS; i++) {
                LockReport locks =
                        dumper.dump(ThreadDump.Options.ALL, (done, total) -> {}).locks();
                found.addAll(locks.deadlocks());
                withOwner += locks.contended().size();
            }
            assertThat(found).isEmpty();
            assertThat(withOwner).as("locks with an owner").isPositive();
        }
    }
}
