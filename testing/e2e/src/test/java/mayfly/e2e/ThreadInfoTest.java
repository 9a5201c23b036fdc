package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.kit.ThreadPrint;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadInfo.Mounted;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.Unread;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Names, states, daemon flags and numbers of threads equal those of the JVM, with every collector and object layout.
 */
class ThreadInfoTest {
    /** Upper bound on the number of attempts, because a safepoint may be in progress when a thread is read. */
    private static final int LOOKS = 100_000;

    private static final int ROUNDS = Scale.count(100, 500);

    /** Options for a collector or a layout, and the first and last JDK that has them. */
    private record Layout(int first, int last, String... options) {
        boolean isOf(Jdk jdk) {
            return jdk.feature() >= first && jdk.feature() <= last;
        }
    }

    private static final List<Layout> LAYOUTS = List.of(
            new Layout(11, 99, "-XX:+UseSerialGC"),
            new Layout(11, 99, "-XX:+UseParallelGC"),
            new Layout(11, 99, "-XX:+UseG1GC"),
            new Layout(11, 14, "-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"),
            new Layout(15, 99, "-XX:+UseZGC"),
            new Layout(21, 22, "-XX:+UseZGC", "-XX:+ZGenerational"),
            new Layout(23, 23, "-XX:+UseZGC", "-XX:-ZGenerational"),
            new Layout(11, 14, "-XX:+UnlockExperimentalVMOptions", "-XX:+UseShenandoahGC"),
            new Layout(15, 99, "-XX:+UseShenandoahGC"),
            new Layout(11, 99, "-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx4g"),
            new Layout(11, 99, "-XX:+UseSerialGC", "-XX:-UseCompressedOops"),
            new Layout(15, 25, "-XX:+UseG1GC", "-XX:-UseCompressedClassPointers"),
            new Layout(15, 25, "-XX:+UseZGC", "-XX:-UseCompressedClassPointers"),
            new Layout(11, 99, "-XX:+UseG1GC", "-XX:HeapBaseMinAddress=40g"),
            new Layout(15, 99, "-XX:+UseG1GC", "-XX:ObjectAlignmentInBytes=16"),
            new Layout(11, 99, "-XX:+UseG1GC", "-XX:-CompactStrings"),
            new Layout(11, 99, "-XX:+UseG1GC", "-Xshare:off"),
            new Layout(25, 99, "-XX:+UseG1GC", "-XX:+UseCompactObjectHeaders"),
            new Layout(25, 99, "-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders"),
            new Layout(25, 99, "-XX:+UseZGC", "-XX:+UseCompactObjectHeaders"),
            new Layout(25, 99, "-XX:+UseShenandoahGC", "-XX:+UseCompactObjectHeaders"),
            new Layout(
                    25,
                    99,
                    "-XX:+UnlockExperimentalVMOptions",
                    "-XX:+UseShenandoahGC",
                    "-XX:ShenandoahGCMode=generational"));

    /** A JDK with a layout that it supports. */
    record Configuration(Jdk jdk, List<String> options) {
        @Override
        public String toString() {
            return jdk + " " + String.join(" ", options);
        }
    }

    /**
     * Without deep counts, each JDK runs with every layout whose position is a multiple of this number, see
     * {@link #possible}.
     */
    private static final int EVERY = 7;

    private static final List<Configuration> CONFIGURATIONS = possible();

    static List<Configuration> configurations() {
        return CONFIGURATIONS;
    }

    /**
     * Returns the configurations to test: all of them with deep counts. Otherwise the first JDK runs with layouts 0, 7,
     * 14 and so on, the second with 1, 8, 15 and so on, and each further JDK with the next ones.
     */
    private static List<Configuration> possible() {
        List<Configuration> all = new ArrayList<>();
        int first = 0;
        for (Jdk jdk : Scale.jdks()) {
            int turn = EVERY - first++ % EVERY;
            for (Layout layout : LAYOUTS) {
                Configuration one = new Configuration(jdk, List.of(layout.options()));
                if ((Scale.DEEP || turn++ % EVERY == 0) && layout.isOf(jdk) && isBuiltIn(one)) {
                    all.add(one);
                }
            }
        }
        return all;
    }

    static List<Configuration> collecting() {
        return CONFIGURATIONS.stream()
                .filter(one -> !one.options.contains("-XX:+UseEpsilonGC"))
                .toList();
    }

    static List<Jdk> withVirtualThreads() {
        return Scale.jdks().stream().filter(jdk -> jdk.feature() >= 21).toList();
    }

    /** Returns false if the configuration needs Shenandoah and the JDK is built without it. */
    private static boolean isBuiltIn(Configuration one) {
        if (!one.options.contains("-XX:+UseShenandoahGC")) {
            return true;
        }
        return Command.run(
                                Duration.ofSeconds(120),
                                one.jdk.tool("java").toString(),
                                "-XX:+UnlockExperimentalVMOptions",
                                "-XX:+UseShenandoahGC",
                                "-version")
                        .exitCode()
                == 0;
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void threadInfosEqualThoseOfTheJvmAfterObjectsMoved(Configuration one) throws Exception {
        try (Jvm jvm = Jvm.run("NamedThreads")
                        .on(one.jdk)
                        .with("-Xmx256m")
                        .with(one.options.toArray(String[]::new))
                        .start();
                OpenedVm opened = new OpenedVm(jvm)) {
            compare(jvm.ask("threads"), opened);
            String before = jvm.ask("threads");
            assertThat(jvm.ask("gc")).isEqualTo("collected");
            // Compares before the JVM itself uses, and thereby updates, the references to moved objects.
            compare(before, opened);
            for (ManagedThreadState state : ManagedThreadState.values()) {
                awaitNamedState(opened, state);
            }
        }
    }

    /** Information read while objects move is correct or missing, never wrong. */
    @Requirement("S-13")
    @ParameterizedTest
    @MethodSource("collecting")
    void threadInfosReadDuringCollectionsAreCorrectOrMissing(Configuration one) throws Exception {
        try (Jvm jvm = Jvm.run("NamedThreads")
                        .on(one.jdk)
                        .with("-Xmx256m")
                        .with(one.options.toArray(String[]::new))
                        .start();
                OpenedVm opened = new OpenedVm(jvm)) {
            Map<Integer, ManagedThreadInfo> before = opened.infos();
            before.values().removeIf(info -> info.name() == null || !info.name().startsWith("worker-"));
            assertThat(jvm.ask("churn")).isEqualTo("churning");
            int told = 0;
            Map<Unread, Integer> untold = new EnumMap<>(Unread.class);
            for (int i = 0; i < ROUNDS; i++) {
                Map<Integer, ManagedThreadInfo> now = opened.infos();
                for (Map.Entry<Integer, ManagedThreadInfo> thread : before.entrySet()) {
                    ManagedThreadInfo info = now.get(thread.getKey());
                    if (info.unread() == null) {
                        assertThat(info).isEqualTo(thread.getValue());
                        told++;
                    } else {
                        untold.merge(info.unread(), 1, Integer::sum);
                    }
                }
            }
            assertThat(told).as("%s", untold).isGreaterThan(ROUNDS * before.size() / 20);
            assertThat(untold.keySet()).isSubsetOf(Unread.MOVING);
        }
    }

    private static void compare(String said, OpenedVm opened) throws Exception {
        Map<Integer, ManagedThreadInfo> all = infosAtRest(opened);
        assertThat(all.values()).extracting(ManagedThreadInfo::unread).containsOnly(null, Unread.TOO_LONG);
        Map<Long, ManagedThreadInfo> infos = byNumber(all);
        int compared = 0;
        for (String line : said.split(";")) {
            String[] cells = line.split(",", -1);
            ManagedThreadInfo info = infos.get(Long.parseLong(cells[0]));
            assertThat(info).as(line).isNotNull();
            if (cells[3].startsWith("longer-than-is-read")) {
                assertThat(info.unread()).isEqualTo(Unread.TOO_LONG);
                assertThat(info.name()).isNull();
            } else {
                assertThat(escaped(info.name())).isEqualTo(cells[3]);
                assertThat(info.unread()).isNull();
            }
            assertThat(info.daemon()).as(line).isEqualTo(Boolean.parseBoolean(cells[1]));
            assertThat(info.mounted()).isNull();
            if (!cells[3].equals("main")) {
                assertThat(javaState(info.state())).as(line).isEqualTo(cells[2]);
            }
            compared++;
        }
        assertThat(compared).isGreaterThan(60);
    }

    /** A concurrent collector may still move objects after the requested collection has returned. */
    private static Map<Integer, ManagedThreadInfo> infosAtRest(OpenedVm opened) throws Exception {
        Map<Integer, ManagedThreadInfo> infos = opened.infos();
        for (int i = 0; i < LOOKS && infos.values().stream().anyMatch(info -> info.unread() == Unread.MOVING); i++) {
            infos = opened.infos();
        }
        return infos;
    }

    private static Map<Long, ManagedThreadInfo> byNumber(Map<Integer, ManagedThreadInfo> infos) {
        return infos.values().stream()
                .filter(info -> info.managedId() != 0)
                .collect(Collectors.toMap(ManagedThreadInfo::managedId, info -> info));
    }

    @ParameterizedTest
    @MethodSource("withVirtualThreads")
    void carrierKeepsItsNameAndNamesItsVirtualThread(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("NamedThreads").on(jdk).start();
                OpenedVm opened = new OpenedVm(jvm)) {
            long number = Long.parseLong(jvm.ask("virtual"));
            List<ManagedThreadInfo> carriers = opened.infos().values().stream()
                    .filter(info -> info.mounted() != null)
                    .toList();
            assertThat(carriers).hasSize(1);
            assertThat(carriers.getFirst().mounted()).isEqualTo(new Mounted("r\u00efder", number));
            assertThat(carriers.getFirst().name()).startsWith("ForkJoinPool-");
            assertThat(carriers.getFirst().managedId()).isNotEqualTo(number);
            assertThat(carriers.getFirst().unread()).isNull();
        }
    }

    private static void awaitNamedState(OpenedVm opened, ManagedThreadState state) throws Exception {
        String name = "state-" + state;
        ManagedThreadInfo last = null;
        for (int i = 0; i < LOOKS; i++) {
            last = opened.infos().values().stream()
                    .filter(info -> name.equals(info.name()))
                    .findFirst()
                    .orElse(null);
            if (last == null || last.state() == state) {
                break;
            }
        }
        switch (state) {
            case IN_VM, NEW, TERMINATED, UNKNOWN -> assertThat(last).isNull();
            default ->
                assertThat(last)
                        .isNotNull()
                        .extracting(ManagedThreadInfo::state)
                        .isEqualTo(state);
        }
    }

    /** Returns the {@link Thread.State} of a state. */
    private static String javaState(ManagedThreadState state) {
        return switch (state) {
            case IN_MANAGED_CODE, IN_NATIVE, IN_VM -> "RUNNABLE";
            case BLOCKED -> "BLOCKED";
            case WAITING, PARKED -> "WAITING";
            case TIMED_WAITING, TIMED_PARKED, SLEEPING -> "TIMED_WAITING";
            case NEW -> "NEW";
            case TERMINATED -> "TERMINATED";
            case UNKNOWN -> "unknown";
        };
    }

    private static String escaped(String name) {
        StringBuilder text = new StringBuilder();
        for (char c : name.toCharArray()) {
            text.append(
                    c == '-' || c < 128 && Character.isLetterOrDigit(c)
                            ? Character.toString(c)
                            : String.format("_%04x", (int) c));
        }
        return text.toString();
    }

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    /** Includes all of the JVM's own threads, with the reasons that it prints. */
    @ParameterizedTest
    @MethodSource("jdks")
    void threadInfosEqualThreadPrint(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start();
                OpenedVm opened = new OpenedVm(jvm)) {
            Map<Integer, String> theirs = printed(ThreadPrint.of(jvm));
            Map<Integer, String> ours = new TreeMap<>();
            opened.infos()
                    .forEach((tid, info) -> ours.put(
                            tid,
                            info.name() + " #" + info.managedId() + (info.daemon() ? " daemon " : " ")
                                    + printedState(info.state())));
            assertThat(theirs.size()).isGreaterThan(60);
            // jcmd itself started the thread, and it may have ended.
            theirs.values().removeIf(line -> line.startsWith("Attach Listener"));
            ours.values().removeIf(line -> line.startsWith("Attach Listener"));
            assertThat(ours).isEqualTo(theirs);
            assertThat(opened.infos().values())
                    .filteredOn(info -> "kind-class-wait".equals(info.name()))
                    .extracting(ManagedThreadInfo::state)
                    .containsExactly(ManagedThreadState.IN_VM);
        }
    }

    private static Map<Integer, String> printed(ThreadPrint print) {
        Map<Integer, String> threads = new TreeMap<>();
        print.threads().stream()
                .filter(thread -> thread.java() && !thread.state().isEmpty())
                .forEach(thread -> threads.put(
                        thread.tid(),
                        thread.name() + " #" + thread.number() + (thread.daemon() ? " daemon " : " ")
                                + (thread.state() + " " + thread.reason()).strip()));
        return threads;
    }

    /** Returns a state in the words of Thread.print. */
    private static String printedState(ManagedThreadState state) {
        return javaState(state)
                + switch (state) {
                    case BLOCKED, WAITING, TIMED_WAITING -> " (on object monitor)";
                    case PARKED, TIMED_PARKED -> " (parking)";
                    case SLEEPING -> " (sleeping)";
                    case IN_MANAGED_CODE, IN_NATIVE, IN_VM, NEW, TERMINATED, UNKNOWN -> "";
                };
    }
}
