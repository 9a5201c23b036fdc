package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadDumper;
import mayfly.stack.state.LockReport;
import mayfly.stack.state.LockReport.AwaitedLock;
import mayfly.stack.state.LockReport.AwaitedLock.Ownership;
import mayfly.stack.state.VirtualThreadReport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The locks for which virtual threads wait that are not mounted, and their deadlocks. */
class VirtualLocksTest {
    private static final int DUMPS = Scale.count(5, 100);
    private static final int CONTENDED_DUMPS = Scale.count(30, 1_000);

    /** A JVM with a collector. */
    record Configuration(Jdk jdk, List<String> options) {}

    static List<Configuration> configurations() {
        List<Configuration> all = new ArrayList<>();
        for (Jdk jdk : ThreadInfoTest.withVirtualThreads()) {
            all.add(new Configuration(jdk, List.of()));
            all.add(new Configuration(jdk, List.of("-XX:+UseZGC")));
            all.add(new Configuration(jdk, List.of("-XX:-UseCompressedOops", "-XX:+UseSerialGC")));
        }
        return all;
    }

    private static ThreadDump dump(ThreadDumper dumper) throws Exception {
        return dumper.dump(
                new ThreadDump.Options("", false, true, false, false, Optional.empty()), (done, total) -> {});
    }

    private static List<List<String>> planted(String kinds) {
        return Arrays.stream(kinds.split(", "))
                .map(kind -> kind.split(" "))
                .map(words -> IntStream.range(0, Integer.parseInt(words[1]))
                        .mapToObj(i -> words[0] + "-" + i)
                        .toList())
                .toList();
    }

    /** Returns the names of the threads, from the first one of the kind on. */
    private static List<String> names(LockReport.Deadlock deadlock) {
        List<String> names = new ArrayList<>(
                deadlock.members().stream().map(LockReport.Member::name).toList());
        String first =
                names.stream().filter(name -> name.endsWith("-0")).findFirst().orElse("");
        Collections.rotate(names, -names.indexOf(first));
        return names;
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void deadlocksOfVirtualThreadsAreFoundWithTheirThreadsInOrder(Configuration one) throws Exception {
        try (Jvm jvm = Jvm.run("VirtualDeadlocks")
                        .on(one.jdk)
                        .with(one.options.toArray(String[]::new))
                        .start();
                ThreadDumper dumper = ThreadDumper.open((int) jvm.pid())) {
            List<List<String>> planted = planted(jvm.ask("kinds"));
            for (int i = 0; i < DUMPS; i++) {
                List<LockReport.Deadlock> found = dump(dumper).locks().deadlocks();
                assertThat(found.stream().map(VirtualLocksTest::names))
                        .as(jvm.evidence())
                        .containsExactlyInAnyOrderElementsOf(planted);
                for (LockReport.Deadlock deadlock : found) {
                    List<LockReport.Member> members = deadlock.members();
                    for (int k = 0; k < members.size(); k++) {
                        AwaitedLock lock = members.get(k).lock();
                        assertThat(Objects.requireNonNull(lock.owner()).id())
                                .isEqualTo(members.get((k + 1) % members.size()).id());
                        assertThat(lock.type()).isNotEmpty();
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("mayfly.e2e.ThreadInfoTest#withVirtualThreads")
    void lockForWhichMostVirtualThreadsWaitIsTheFirstOfTheContendedOnes(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("VirtualDeadlocks").on(jdk).start();
                ThreadDumper dumper = ThreadDumper.open((int) jvm.pid())) {
            int waiting = Integer.parseInt(jvm.ask("waiting"));
            ThreadDump dump = dump(dumper);
            LockReport.Contended first = dump.locks().contended().getFirst();
            assertThat(first.waiting()).isEqualTo(waiting + 1);
            List<VirtualThreadReport.Member> members = Objects.requireNonNull(dump.virtual()).groups().stream()
                    .flatMap(group -> group.threads().stream())
                    .toList();
            for (VirtualThreadReport.Member member : members) {
                AwaitedLock lock = member.lock();
                if (member.name().startsWith("waits-")) {
                    assertThat(lock).as(member.name()).isEqualTo(first.lock());
                }
            }
            assertThat(ownershipOf("waits for an owner", members)).isEqualTo(Ownership.KNOWN);
            assertThat(new TreeSet<>(List.of(
                            ownershipOf("condition", members),
                            ownershipOf("semaphore", members),
                            ownershipOf("latch", members))))
                    .containsExactly(Ownership.NONE);
            if (jdk.feature() >= 24) {
                AwaitedLock monitor = Objects.requireNonNull(
                        member("waits for a notification", members).lock());
                assertThat(monitor.kind()).isEqualTo(AwaitedLock.Kind.NOTIFICATION);
                assertThat(monitor.ownership()).isEqualTo(Ownership.NONE);
            }
            assertThat(member("sleep", members).lock()).isNull();
            assertThat(member("owner", members).lock()).isNull();
        }
    }

    /** The owner has the object on the lock stack in its stack chunk, or the id of the owner is in the monitor. */
    @ParameterizedTest
    @MethodSource("mayfly.e2e.ThreadInfoTest#withVirtualThreads")
    void ownerOfAMonitorMayBeAnUnmountedVirtualThread(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("VirtualOwners").on(jdk).start();
                ThreadDumper dumper = ThreadDumper.open((int) jvm.pid())) {
            String[] ids = jvm.ask("ids").split(" ");
            ThreadDump dump = dump(dumper);
            int tid = dump.threads().stream()
                    .filter(thread -> thread.name().equals("waits-for-a-monitor"))
                    .findFirst()
                    .orElseThrow()
                    .tid();
            AwaitedLock lock = Objects.requireNonNull(dump.locks().awaited().get(tid));
            assertThat(lock.ownership()).isEqualTo(Ownership.KNOWN);
            if (jdk.feature() >= 24) {
                assertThat(lock.owner()).isEqualTo(new AwaitedLock.Owner(0, "", Long.parseLong(ids[1])));
            }
        }
    }

    /** The threads wait for one another all the time, and never in a cycle. */
    @ParameterizedTest
    @MethodSource("mayfly.e2e.ThreadInfoTest#withVirtualThreads")
    void contentionOfVirtualThreadsIsNoDeadlock(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LocksInOrder").on(jdk).args("virtual").start();
                ThreadDumper dumper = ThreadDumper.open((int) jvm.pid())) {
            List<LockReport.Deadlock> found = new ArrayList<>();
            int ofVirtual = 0;
            for (int i = 0; i < CONTENDED_DUMPS; i++) {
                LockReport locks = dump(dumper).locks();
                found.addAll(locks.deadlocks());
                ofVirtual += locks.ofUnmounted().size();
            }
            assertThat(found).isEmpty();
            if (jdk.feature() >= 24) {
                assertThat(ofVirtual).as("locks of unmounted threads").isPositive();
            }
        }
    }

    private static VirtualThreadReport.Member member(String name, List<VirtualThreadReport.Member> members) {
        return members.stream()
                .filter(member -> member.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Ownership ownershipOf(String name, List<VirtualThreadReport.Member> members) {
        return Objects.requireNonNull(member(name, members).lock()).ownership();
    }
}
