package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import mayfly.e2e.AwaitedLocksTest.Configuration;
import mayfly.kit.Jvm;
import mayfly.kit.ThreadPrint;
import mayfly.kit.ThreadPrint.EnteredObject;
import mayfly.kit.ThreadPrint.PrintedThread;
import mayfly.profile.Frame;
import mayfly.stack.DumpedThread;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadDumper;
import mayfly.stack.state.EnteredMonitor;
import mayfly.stack.state.EnteredMonitor.State;
import mayfly.stack.state.LockReport.AwaitedLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The monitors that methods have entered equal those that the JVM itself prints, by method, class and address. Each
 * lock mode and each collector is tested.
 */
class EnteredMonitorsTest {
    private static final String REPLACED = "<owner is scalar replaced>";
    private static final String RELOCKED = "waiting to re-lock in wait()";

    static List<Configuration> configurations() {
        List<Configuration> all = new ArrayList<>(AwaitedLocksTest.configurations());
        for (var jdk : Scale.jdks()) {
            all.add(new Configuration(jdk, List.of("-Xcomp", "-XX:CompileCommand=quiet")));
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void monitorsOfCompiledAndInterpretedMethodsEqualThreadPrint(Configuration one) throws Exception {
        List<String> options = new ArrayList<>(one.options());
        options.add("-Xbatch"); // the methods are compiled before they are called for the last time
        Set<State> states = compare(new Configuration(one.jdk(), options), "MonitorHolders", "held-", 20);
        boolean compiles = !one.options().contains("-Xint");
        assertThat(states).contains(State.ENTERED, State.LEFT);
        assertThat(states.contains(State.ELIMINATED)).isEqualTo(compiles);
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void monitorsOfTheClassLibraryEqualThreadPrint(Configuration one) throws Exception {
        compare(one, "Blocked", "kind-", 10);
    }

    /** Returns the states of the monitors that were compared. */
    private static Set<State> compare(Configuration one, String target, String prefix, int atLeast) throws Exception {
        try (Jvm jvm = Jvm.run(target)
                .on(one.jdk())
                .with(one.options().toArray(String[]::new))
                .start()) {
            List<PrintedThread> printed = ThreadPrint.of(jvm).startingWith(prefix);
            ThreadDump dump = dump(jvm, false);
            ThreadDump together = dump(jvm, true);
            Set<State> states = new HashSet<>();
            List<String> differences = new ArrayList<>();
            int compared = 0;
            for (PrintedThread thread : printed) {
                List<String> expected = printed(thread);
                for (ThreadDump each : List.of(dump, together)) {
                    List<String> ours = read(named(each, thread.name()), states);
                    if (!ours.equals(expected)) {
                        differences.add(thread.name() + "\n  printed " + expected + "\n  read    " + ours);
                    }
                }
                compared += expected.size();
            }
            assertThat(String.join("\n", differences)).as(jvm.evidence()).isEmpty();
            assertThat(compared).isGreaterThanOrEqualTo(atLeast);
            return states;
        }
    }

    private static DumpedThread named(ThreadDump dump, String name) {
        return dump.threads().stream()
                .filter(thread -> thread.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Returns the monitors as printed, without those of native methods, which are not read if their wrapper is
     * compiled. Object.wait itself has entered none; JDK 11 uses its words again at the method that has.
     */
    private static List<String> printed(PrintedThread thread) {
        return thread.entered().stream()
                .filter(each -> !each.words().equals(RELOCKED) || each.frame() > 0)
                .filter(each -> !thread.frames().get(each.frame()).isNative())
                .map(each -> thread.frames().get(each.frame()).method() + " " + words(each))
                .toList();
    }

    private static String words(EnteredObject monitor) {
        String words = monitor.words().equals(RELOCKED) ? "locked" : monitor.words();
        return words + " " + monitor.address() + " " + monitor.className();
    }

    private static List<String> read(DumpedThread thread, Set<State> states) {
        List<String> all = new ArrayList<>();
        for (DumpedThread.Entry entry : thread.stack()) {
            for (EnteredMonitor monitor : entry.monitors()) {
                Frame.Managed method = (Frame.Managed) Objects.requireNonNull(entry.frame());
                if (!method.kind().equals(Frame.Managed.NATIVE)) {
                    states.add(monitor.state());
                    all.add(method.method() + " " + words(monitor));
                }
            }
        }
        return all;
    }

    private static String words(EnteredMonitor monitor) {
        String words = monitor.state() == State.ELIMINATED ? "eliminated" : "locked";
        String address = monitor.object() == 0 ? REPLACED : String.format(Locale.ROOT, "<0x%016x>", monitor.object());
        return words + " " + address + " " + monitor.type() + monitor.unread();
    }

    @ParameterizedTest
    @MethodSource("mayfly.e2e.Scale#jdks")
    void synchronizerForWhichAThreadWaitsBelongsToItsOwner(mayfly.kit.Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("MonitorHolders").on(jdk).start()) {
            ThreadDump dump = dump(jvm, false);
            Map<String, List<String>> owned = dump.threads().stream()
                    .filter(thread -> dump.locks().synchronizers().containsKey(thread.tid()))
                    .collect(Collectors.toMap(
                            DumpedThread::name,
                            thread -> dump.locks().synchronizers().get(thread.tid()).stream()
                                    .map(AwaitedLock::type)
                                    .toList()));
            assertThat(owned)
                    .isEqualTo(Map.of(
                            "held-synchronizer", List.of("java.util.concurrent.locks.ReentrantLock$NonfairSync")));
        }
    }

    private static ThreadDump dump(Jvm jvm, boolean together) throws Exception {
        try (ThreadDumper dumper = ThreadDumper.open((int) jvm.pid())) {
            return dumper.dump(new ThreadDump.Options("", together, false, true), (done, total) -> {});
        }
    }
}
