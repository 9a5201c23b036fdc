package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.thread.Unread;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadDumper;
import mayfly.stack.state.ThreadState;
import mayfly.stack.state.VirtualThreadReport;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The stacks of virtual threads that are not mounted. The oracle is the JDK's own dump of them. */
class VirtualStacksTest {
    private static final ThreadDump.Options VIRTUAL =
            new ThreadDump.Options("", false, true, false, false, Optional.empty());
    private static final int COUNT = Scale.count(210, 2_100);
    private static final int ROUNDS = Scale.count(10, 200);

    private static final List<String> COLLECTORS =
            List.of("-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseZGC", "-XX:+UseParallelGC");

    /** {@code #33 "name" virtual}, since JDK 22 with a state and a time. */
    private static final Pattern HEADER = Pattern.compile("^#(\\d+) \"(.*)\" virtual\\b.*$");

    private static final Pattern FRAME = Pattern.compile("^ +(?:at )?(?:[^(]*/)?([^/(]+)\\((.*)\\)$");

    @TempDir
    private Path folder;

    static List<Jdk> jdks() {
        return Scale.jdks().stream().filter(jdk -> jdk.feature() >= 21).toList();
    }

    static List<Arguments> collectors() {
        List<Arguments> arguments = new ArrayList<>();
        for (Jdk jdk : jdks()) {
            for (String option : Scale.half(COLLECTORS, 0)) {
                arguments.add(Arguments.of(jdk, option));
            }
            if (jdk.feature() < 24) {
                arguments.add(Arguments.of(jdk, "-XX:+UseZGC -XX:+ZGenerational"));
            } else {
                arguments.add(Arguments.of(jdk, "-XX:+UnlockExperimentalVMOptions -XX:+UseCompactObjectHeaders"));
            }
        }
        return arguments;
    }

    /** A thread that waits for a monitor keeps its carrier before JDK 24. */
    private static String kinds(Jdk jdk) {
        return jdk.feature() < 24 ? "sleep,park,lock,poll,future" : "sleep,park,lock,poll,future,wait,enter";
    }

    private static Jvm start(Jdk jdk, String options, int count) throws Exception {
        return Jvm.run("VirtualStacks")
                .on(jdk)
                .args(Integer.toString(count), kinds(jdk))
                .with(options.split(" "))
                .with("-Xmx256m")
                .start();
    }

    /** A JVM that collects all the time can be within a collection at each stop of a dump, on a busy machine. */
    private static VirtualThreadReport virtual(ThreadDumper dumper) throws Exception {
        Deadline deadline = Deadline.in(Patience.of(Duration.ofSeconds(30)));
        while (true) {
            ThreadDump dump = dumper.dump(VIRTUAL, (done, total) -> {});
            VirtualThreadReport report = dump.virtual();
            if (report == null || !report.problems().containsValue(Unread.MOVING.label())) {
                return virtual(dump);
            }
            deadline.check("the heap is collected during each dump");
        }
    }

    private static VirtualThreadReport virtual(ThreadDump dump) {
        VirtualThreadReport report = dump.virtual();
        assertThat(report).isNotNull();
        assertThat(report.problems()).isEmpty();
        assertThat(report.unread()).isEmpty();
        return report;
    }

    /** Returns the stack of each thread by its name. */
    private static Map<String, List<String>> stacks(VirtualThreadReport report) {
        Map<String, List<String>> stacks = new TreeMap<>();
        for (VirtualThreadReport.Group group : report.groups()) {
            List<String> lines = new ArrayList<>();
            for (Frame frame : group.stack()) {
                if (frame instanceof Frame.Managed managed) {
                    int line = managed.kind().equals(Frame.Managed.NATIVE) ? -2 : managed.line();
                    lines.add(managed.type() + "." + managed.method() + ":" + line);
                }
            }
            assertThat(group.outcome()).as("%s", group).isEqualTo(WalkOutcome.COMPLETE);
            group.threads().forEach(thread -> stacks.put(thread.name(), lines));
        }
        return stacks;
    }

    /** Returns the stacks of the JVM's own dump, by the names of the threads. */
    private Map<String, List<String>> dumpedByTheJvm(Jvm jvm) throws Exception {
        Path file = folder.resolve("threads.txt");
        Neighbours.jcmd(jvm, "Thread.dump_to_file", "-overwrite", file.toString());
        Map<String, List<String>> stacks = new TreeMap<>();
        List<String> current = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            Matcher header = HEADER.matcher(line);
            Matcher frame = FRAME.matcher(line);
            if (header.matches()) {
                current = new ArrayList<>();
                stacks.put(header.group(2), current);
            } else if (line.startsWith("#")) {
                current = new ArrayList<>();
            } else if (frame.matches()) {
                current.add(frame.group(1) + ":" + line(frame.group(2)));
            }
        }
        return stacks;
    }

    private static int line(String place) {
        if (place.equals("Native Method")) {
            return -2;
        }
        int colon = place.lastIndexOf(':');
        return colon < 0 ? -1 : Integer.parseInt(place.substring(colon + 1));
    }

    @ParameterizedTest
    @MethodSource("collectors")
    void stacksOfUnmountedThreadsEqualTheJvmsDump(Jdk jdk, String options) throws Exception {
        try (Jvm jvm = start(jdk, options, COUNT);
                ThreadDumper dumper = ThreadDumper.open(Math.toIntExact(jvm.pid()))) {
            Map<String, List<String>> expected = dumpedByTheJvm(jvm);
            assertThat(expected).hasSizeGreaterThanOrEqualTo(COUNT);
            VirtualThreadReport report = virtual(dumper);
            Map<String, List<String>> stacks = stacks(report);
            assertThat(stacks.keySet()).isEqualTo(expected.keySet());
            stacks.forEach((name, stack) -> assertThat(stack).as(name).isEqualTo(expected.get(name)));
            assertThat(report.areAllRecorded()).isTrue();
            assertThat(report.groups().size()).isLessThan(report.threads());
            assertThat(jvm.ask("blocked")).isEqualTo(Integer.toString(COUNT));
        }
    }

    /** The heap is collected and its objects are moved meanwhile. */
    @ParameterizedTest
    @MethodSource("collectors")
    void stacksAreTheSameInEachDumpWhileTheHeapIsCollected(Jdk jdk, String options) throws Exception {
        try (Jvm jvm = start(jdk, options, COUNT);
                ThreadDumper dumper = ThreadDumper.open(Math.toIntExact(jvm.pid()))) {
            Map<String, List<String>> expected = stacks(virtual(dumper));
            assertThat(expected).hasSize(COUNT);
            jvm.ask("collect");
            for (int i = 0; i < ROUNDS; i++) {
                assertThat(stacks(virtual(dumper))).as("round %d", i).isEqualTo(expected);
            }
            assertThat(jvm.ask("rest")).isEqualTo(Integer.toString(COUNT));
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void statesOfUnmountedThreadsAreThoseOfTheirKinds(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk, "-Xmx256m", 70);
                ThreadDumper dumper = ThreadDumper.open(Math.toIntExact(jvm.pid()))) {
            Map<String, ThreadState> states = Map.of(
                    "sleep", ThreadState.TIMED_PARKED,
                    "park", ThreadState.PARKED,
                    "lock", ThreadState.PARKED,
                    "poll", ThreadState.TIMED_PARKED,
                    "future", ThreadState.PARKED,
                    "wait", ThreadState.WAITING,
                    "enter", ThreadState.BLOCKED);
            for (VirtualThreadReport.Group group : virtual(dumper).groups()) {
                String kind = group.threads().getFirst().name().replaceAll("-.*", "");
                assertThat(group.state()).as(kind).isEqualTo(states.get(kind));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void threadsThatTheJvmDoesNotRecordAreReportedAsMissing(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk, "-Djdk.trackAllThreads=false", 30);
                ThreadDumper dumper = ThreadDumper.open(Math.toIntExact(jvm.pid()))) {
            VirtualThreadReport report = virtual(dumper);
            assertThat(report.areAllRecorded()).isFalse();
            assertThat(report.threads()).as("those of the executor").isEqualTo(10);
        }
    }

    /** Only the thread that has opened a scope refers to it, and to the threads in it. */
    @ParameterizedTest
    @MethodSource("jdks")
    void threadsInAScopeOfAPlatformThreadAreFound(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("VirtualStacks")
                        .on(jdk)
                        .args("30", "park", "7")
                        .with("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED")
                        .start();
                ThreadDumper dumper = ThreadDumper.open(Math.toIntExact(jvm.pid()))) {
            Map<String, List<String>> stacks = stacks(virtual(dumper));
            assertThat(stacks).hasSize(37).isEqualTo(dumpedByTheJvm(jvm));
            assertThat(stacks.keySet())
                    .filteredOn(name -> name.startsWith("scope-"))
                    .hasSize(7);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void mountedThreadsAreCountedAndShownWithTheirCarriers(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("VirtualOwners").on(jdk).start();
                ThreadDumper dumper = ThreadDumper.open(Math.toIntExact(jvm.pid()))) {
            String[] ids = jvm.ask("ids").split(" ");
            ThreadDump dump = dumper.dump(VIRTUAL, (done, total) -> {});
            VirtualThreadReport report = virtual(dump);
            List<Long> unmounted = report.groups().stream()
                    .flatMap(group -> group.threads().stream())
                    .map(VirtualThreadReport.Member::id)
                    .toList();
            assertThat(unmounted).contains(Long.valueOf(ids[0])).doesNotContain(Long.valueOf(ids[2]));
            assertThat(report.mounted()).isPositive();
            assertThat(dump.threads())
                    .as("the carrier")
                    .anyMatch(thread -> thread.java() != null
                            && thread.java().mounted() != null
                            && thread.java().mounted().id() == Long.parseLong(ids[2]));
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void commandShowsGroupsOfEqualStacks(Jdk jdk) throws Exception {
        try (Jvm jvm = start(jdk, "-Xmx256m", 210)) {
            Command text = CommandLine.run("stack", "--virtual", Long.toString(jvm.pid()));
            assertThat(text.exitCode()).as(text.evidence()).isZero();
            assertThat(text.stdout())
                    .contains("210 virtual threads are not mounted, in ")
                    .contains("\"park-1\" #")
                    .contains("\tat java.lang.VirtualThread.park(VirtualThread.java:");
            Command json = CommandLine.run("stack", "--virtual", "--json", Long.toString(jvm.pid()));
            assertThat(json.exitCode()).as(json.evidence()).isZero();
            assertThat(json.stdout()).contains("\"virtual\":{\"threads\":210,").contains("\"name\":\"park-1\"");
        }
    }
}
