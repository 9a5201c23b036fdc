package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.ThreadPrint;
import mayfly.kit.ThreadPrint.AwaitedObject;
import mayfly.kit.ThreadPrint.PrintedThread;
import mayfly.stack.DumpedThread;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadDumper;
import mayfly.stack.state.LockReport.AwaitedLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The locks that threads wait for equal those that the JVM itself prints, by class and address, and have their
 * owners.
 */
class AwaitedLocksTest {
    /** The JVM does not know the object that a thread in Object.wait waits for if its frame is compiled. */
    private static final String NO_OBJECT = "<no object reference available>";

    /** The owners of the locks for which threads of the target wait, by the names of both; no other lock has one. */
    private static final Map<String, String> OWNERS = Map.of(
            "kind-monitor-enter-block",
            "kind-monitor-holder",
            "kind-monitor-enter-method",
            "kind-monitor-holder",
            "kind-reentrant-lock",
            "kind-condition",
            "kind-reentrant-lock-timed",
            "kind-condition",
            "kind-read-lock",
            "kind-condition",
            "kind-write-lock",
            "kind-condition",
            "kind-class-wait",
            "kind-class-init");

    private static final String INITIALIZATION = "waiting on the Class initialization monitor for";

    /** A JVM with options that choose the form of its monitors, its heap or its references. */
    record Configuration(Jdk jdk, List<String> options) {
        @Override
        public String toString() {
            return jdk + " " + String.join(" ", options);
        }
    }

    static List<Configuration> configurations() {
        List<Configuration> all = new ArrayList<>();
        for (Jdk jdk : Scale.jdks()) {
            all.add(new Configuration(jdk, List.of()));
            if (jdk.feature() >= 21 && jdk.feature() <= 25) {
                for (String mode : Scale.some("-XX:LockingMode=1", "-XX:LockingMode=0", "-XX:LockingMode=2")) {
                    all.add(new Configuration(jdk, List.of("-XX:+UnlockExperimentalVMOptions", mode)));
                }
            }
            if (jdk.feature() == 25) {
                all.add(new Configuration(
                        jdk, List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+UseObjectMonitorTable")));
            }
        }
        ThreadInfoTest.configurations().forEach(one -> all.add(new Configuration(one.jdk(), one.options())));
        return all;
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void locksThatThreadsWaitForEqualThreadPrint(Configuration one) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked")
                .on(one.jdk)
                .with(one.options.toArray(String[]::new))
                .start()) {
            List<PrintedThread> printed = ThreadPrint.of(jvm).startingWith("kind-");
            ThreadDump dump = dump(jvm);
            Map<String, DumpedThread> dumped = dump.threads().stream()
                    .filter(thread -> thread.name().startsWith("kind-"))
                    .collect(Collectors.toMap(DumpedThread::name, thread -> thread, (first, second) -> first));
            List<String> differences = new ArrayList<>();
            int compared = 0;
            for (PrintedThread thread : printed) {
                int tid = Objects.requireNonNull(dumped.get(thread.name())).tid();
                AwaitedLock lock = dump.locks().awaited().get(tid);
                String expected = words(awaited(one.jdk, thread));
                String ours = lock == null ? "" : words(lock, expected);
                compared += expected.isEmpty() ? 0 : 1;
                String owner = lock == null || lock.owner() == null
                        ? ""
                        : Objects.requireNonNull(lock.owner()).name();
                if (!ours.equals(expected) || !owner.equals(OWNERS.getOrDefault(thread.name(), ""))) {
                    differences.add(thread.name() + ": printed '" + expected + "', read '" + ours + "', owner '" + owner
                            + "' " + (lock == null ? "" : lock.ownership() + " " + lock.unread()));
                }
            }
            assertThat(String.join("\n", differences)).as(jvm.evidence()).isEmpty();
            assertThat(compared).isGreaterThanOrEqualTo(25);
            assertThat(dump.locks().deadlocks()).isEmpty();
        }
    }

    /**
     * JDK 11 prints the lock again, at the frame that has locked it and waits in {@code Object.wait}, and no class that
     * another thread initializes.
     */
    private static List<AwaitedObject> awaited(Jdk jdk, PrintedThread thread) {
        if (jdk.feature() == 11 && thread.name().equals("kind-class-wait")) {
            return List.of(new AwaitedObject(INITIALIZATION, "", "mayfly.targets.BlockedInClasses$Slow"));
        }
        List<AwaitedObject> all = thread.awaited();
        return jdk.feature() > 11 || all.size() < 2 ? all : all.subList(0, 1);
    }

    static List<Jdk> withVirtualThreads() {
        return ThreadInfoTest.withVirtualThreads();
    }

    @ParameterizedTest
    @MethodSource("withVirtualThreads")
    void ownerOfALockMayBeAVirtualThread(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("VirtualOwners").on(jdk).start()) {
            List<Long> ids =
                    Stream.of(jvm.ask("ids").split(" ")).map(Long::valueOf).toList();
            ThreadDump dump = dump(jvm);
            AwaitedLock lock = lockOf(dump, "waits-for-a-lock");
            assertThat(lock.owner()).isEqualTo(new AwaitedLock.Owner(0, "", ids.get(0)));
            AwaitedLock ofRunning = lockOf(dump, "waits-for-a-carrier");
            assertThat(carried(dump, ofRunning)).isEqualTo(ids.get(2));
            AwaitedLock monitor = lockOf(dump, "waits-for-a-monitor");
            if (jdk.feature() < 24) {
                assertThat(carried(dump, monitor))
                        .as("a virtual thread with a monitor is pinned")
                        .isEqualTo(ids.get(1));
            } else {
                assertThat(monitor.ownership())
                        .as("its lock stack is in the heap")
                        .isEqualTo(AwaitedLock.Ownership.UNKNOWN);
            }
        }
    }

    private static AwaitedLock lockOf(ThreadDump dump, String name) {
        int tid = dump.threads().stream()
                .filter(thread -> thread.name().equals(name))
                .findFirst()
                .orElseThrow()
                .tid();
        return Objects.requireNonNull(dump.locks().awaited().get(tid), name);
    }

    /** Returns the id of the virtual thread on the thread that owns a lock. */
    private static long carried(ThreadDump dump, AwaitedLock lock) {
        int owner = Objects.requireNonNull(lock.owner()).tid();
        return dump.threads().stream()
                .filter(thread -> thread.tid() == owner)
                .map(DumpedThread::java)
                .filter(Objects::nonNull)
                .map(DumpedThread.JavaThread::mounted)
                .filter(Objects::nonNull)
                .mapToLong(DumpedThread.Mounted::id)
                .findFirst()
                .orElse(-1);
    }

    private static ThreadDump dump(Jvm jvm) throws Exception {
        try (ThreadDumper dumper = ThreadDumper.open((int) jvm.pid())) {
            return dumper.dump(ThreadDump.Options.ALL, (done, total) -> {});
        }
    }

    private static String words(List<AwaitedObject> awaited) {
        return awaited.stream()
                .map(each -> each.words() + " " + each.address() + " " + each.className())
                .collect(Collectors.joining(", "));
    }

    /** Returns the words for a lock; without the object if the JVM has printed none. */
    private static String words(AwaitedLock lock, String printed) {
        if (lock.kind() == AwaitedLock.Kind.INITIALIZATION) {
            return INITIALIZATION + "  " + lock.type();
        }
        return printed.contains(NO_OBJECT)
                ? lock.kind().words() + " " + NO_OBJECT + " "
                : "%s <0x%016x> %s".formatted(lock.kind().words(), lock.object(), lock.type());
    }
}
