package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.AttachRequest;
import mayfly.audit.Audit;
import mayfly.audit.Audit.Owner;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.PollingProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Polled events beside what the program measures itself. No test accepts the lasting cost of JVMTI, and each checks
 * that the JVM has no environment and that nothing remains.
 */
class PolledEventsTest {
    private static final int ROUNDS = Scale.count(3, 20);
    private static final int MILLIS = 250;
    private static final int MIB = Scale.count(1024, 8192);
    private static final int PERCENT = 5;
    /** A busy machine stops a thread between its own measurement and the change of its state. */
    private static final int ATTEMPTS = 5;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private Attached attach(Jvm jvm, String data) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("polling.jar"),
                ProfilerJars.manifest(PollingProfiler.class.getName(), "1", "ALLOCATIONS, MONITORS"));
        return Attached.by(new AttachRequest(
                Math.toIntExact(jvm.pid()),
                jar,
                Optional.empty(),
                Optional.of(data.getBytes(StandardCharsets.UTF_8)),
                Attached.LIMIT));
    }

    /** Returns the files that are mapped in the process. */
    private static Set<String> mapped(Jvm jvm) throws Exception {
        Set<String> files = new TreeSet<>();
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(jvm.pid()), "maps"))) {
            String[] fields = line.split(" +", 6);
            if (fields.length == 6 && fields[5].startsWith("/")) {
                files.add(fields[5]);
            }
        }
        return files;
    }

    /** Detaches, and checks that nothing was wrong and nothing remains. */
    private static void detach(Jdk jdk, Jvm jvm, Attached profiler, Set<String> mappedBefore) throws Exception {
        assertThat(profiler.ask("errors")).isEqualTo("0");
        HostStatus status = EventLog.status(jvm);
        assertThat(status.jvmti()).isFalse();
        assertThat(status.lost()).isZero();
        assertThat(status.thrown()).isZero();
        assertThat(LastingCostTest.jvmti(jvm)).containsAnyOf("JVMTI: no environment", "JVMTI: not seen: ");
        profiler.detach();
        if (jdk.feature() >= 21) { // before, a detach may use JVMTI, which costs nothing there
            assertThat(LastingCostTest.jvmti(jvm)).containsAnyOf("JVMTI: no environment", "JVMTI: not seen: ");
        }
        assertThat(HostTrace.of(jvm)).isEmpty();
        assertThat(Audit.of(Math.toIntExact(jvm.pid())).of(Owner.MAYFLY)).isEmpty();
        assertThat(mapped(jvm)).isEqualTo(mappedBefore);
    }

    /** The time for which threads waited for a monitor, by their own clock. */
    private record Measured(String monitor, long nanos) {
        static List<Measured> parse(String answer) {
            List<Measured> all = new ArrayList<>();
            for (String entry : answer.split(";")) {
                int end = entry.lastIndexOf(' ');
                all.add(new Measured(entry.substring(0, end), Long.parseLong(entry.substring(end + 1))));
            }
            return all;
        }
    }

    private static long sum(Attached profiler, String monitor) throws Exception {
        return profiler.ask("contention")
                .lines()
                .filter(line -> line.startsWith(monitor))
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private static boolean isClose(long estimate, long measured) {
        return Math.abs(estimate - measured) <= measured / 100 * PERCENT;
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-14", "D-13", "D-30"})
    void sampledContentionIsWithinFivePercentOfTheTimeThatThreadsMeasure(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Polled").on(jdk).start()) {
            Set<String> before = mapped(jvm);
            Attached profiler = attach(jvm, "1 MONITORS");
            assertThat(profiler.ask("asynchronous")).isEqualTo("[MONITORS]");
            List<String> attempts = new ArrayList<>();
            boolean close = false;
            for (int i = 0; i < ATTEMPTS && !close; i++) {
                assertThat(profiler.ask("reset")).isEqualTo("OK");
                long measured = Measured.parse(jvm.ask("contend 3 " + ROUNDS + " " + MILLIS)).stream()
                        .mapToLong(Measured::nanos)
                        .sum();
                long estimate = sum(profiler, "");
                attempts.add(estimate + " of " + measured);
                assertThat(measured).isGreaterThan(2L * ROUNDS * MILLIS * 1_000_000);
                close = isClose(estimate, measured);
            }
            assertThat(close).as("%s", attempts).isTrue();
            detach(jdk, jvm, profiler, before);
        }
    }

    /** From JDK 25 on, the JVM has the monitor of a blocked thread; before, only if the program uses management. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-14", "D-13"})
    void monitorIsStatedWithoutManagementOnlyByAJvmThatCan(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Polled").on(jdk).start()) {
            Set<String> before = mapped(jvm);
            Attached profiler = attach(jvm, "1 MONITORS");
            String[] block = jvm.ask("block").split(" ");
            awaitLooks(profiler, 5);
            assertThat(jvm.ask("free")).isEqualTo("free");
            String monitor = jdk.feature() < 25 ? "-" : block[0] + " " + block[1];
            assertThat(profiler.ask("contention").lines())
                    .as("a thread may be seen when it has just left")
                    .anyMatch(line -> line.startsWith(monitor + " "))
                    .allMatch(line -> line.startsWith(monitor + " ") || line.startsWith("- "));
            assertThat(profiler.ask("owners").lines())
                    .as("another thread of the program may be blocked for a moment")
                    .contains(block[3] + " -")
                    .allMatch(line -> line.endsWith(" -"));
            assertThat(before).noneMatch(file -> file.endsWith("/libmanagement.so"));
            detach(jdk, jvm, profiler, before);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-14", "D-13"})
    void monitorAndOwnerAreStatedIfTheProgramUsesManagement(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Polled").on(jdk).start()) {
            jvm.ask("manage");
            Set<String> before = mapped(jvm);
            assertThat(before).anyMatch(file -> file.endsWith("/libmanagement.so"));
            Attached profiler = attach(jvm, "1 MONITORS");
            String[] block = jvm.ask("block").split(" ");
            awaitLine(profiler, "owners", block[3] + " " + block[2]);
            awaitLine(profiler, "contention", block[0] + " " + block[1]);
            assertThat(jvm.ask("free")).isEqualTo("free");
            List<Measured> measured = Measured.parse(jvm.ask("contend 3 2 " + MILLIS));
            for (Measured each : measured) {
                assertThat(sum(profiler, each.monitor + " ")).as("%s", each).isGreaterThan(each.nanos / 2);
            }
            if (jdk.feature() < 19) {
                assertThat(jvm.ask("override")).isEqualTo("started");
                assertThat(profiler.ask("reset")).isEqualTo("OK");
                block = jvm.ask("block").split(" ");
                awaitLine(profiler, "owners", block[3] + " -");
                assertThat(jvm.ask("free")).isEqualTo("free");
                assertThat(jvm.ask("called"))
                        .as("code of the program was called")
                        .isEqualTo("0");
            }
            detach(jdk, jvm, profiler, before);
        }
    }

    private static void awaitLine(Attached profiler, String command, String begin) throws Exception {
        Deadline deadline = Deadline.in(EventLog.PATIENCE);
        while (profiler.ask(command).lines().noneMatch(line -> line.startsWith(begin))) {
            deadline.check("%s: no %s", profiler.ask(command), begin);
        }
    }

    /** Between two commands, the host's thread looks if a look is due, and the first one is due at once. */
    private static void awaitFirstLook(Attached profiler) throws Exception {
        profiler.ask("looks");
        profiler.ask("looks");
    }

    private static void awaitLooks(Attached profiler, int count) throws Exception {
        long before = Long.parseLong(profiler.ask("looks"));
        Deadline deadline = Deadline.in(EventLog.PATIENCE);
        while (Long.parseLong(profiler.ask("looks")) < before + count) {
            deadline.check("no look reports anything");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-06", "R-14", "D-30"})
    void polledAllocationsAreWithinFivePercentOfTheBytesThatThreadsCount(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Polled").on(jdk).with("-Xmx64m").start()) {
            Set<String> before = mapped(jvm);
            Attached profiler = attach(jvm, "1 ALLOCATIONS");
            awaitFirstLook(profiler);
            long bytes = Long.parseLong(jvm.ask("allocate " + MIB));
            Deadline deadline = Deadline.in(EventLog.PATIENCE);
            long reported = 0;
            while (reported < bytes) {
                deadline.check("%d of %d bytes", reported, bytes);
                reported = Long.parseLong(profiler.ask("allocated allocates"));
            }
            assertThat(reported).isBetween(bytes, bytes / 100 * (100 + PERCENT));
            assertThat(profiler.ask("poll")).isEqualTo("OK");
            assertThat(profiler.ask("reset")).isEqualTo("OK");
            jvm.ask("allocate 64");
            assertThat(profiler.ask("allocated")).as("after the subscription").isEqualTo("0");
            assertThat(profiler.ask("poll ALLOCATIONS")).isEqualTo("OK");
            awaitFirstLook(profiler);
            assertThat(Long.parseLong(profiler.ask("allocated allocates")))
                    .as("bytes of the time without a subscription; a thread may allocate a little while it waits")
                    .isLessThan(1 << 20);
            detach(jdk, jvm, profiler, before);
        }
    }

    /** Bytes of a thread that ends between two looks are lost, and none is reported twice. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-13")
    void threadsThatEndDuringLooksLoseBytesAndAddNone(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Polled").on(jdk).with("-Xmx64m").start()) {
            Set<String> before = mapped(jvm);
            Attached profiler = attach(jvm, "1 ALLOCATIONS MONITORS");
            awaitFirstLook(profiler);
            assertThat(profiler.ask("reset")).isEqualTo("OK");
            int threads = Scale.count(2000, 50_000);
            long bytes = Long.parseLong(jvm.ask("short " + threads));
            long others = Long.parseLong(profiler.ask("allocated main"));
            long reported = Long.parseLong(profiler.ask("allocated")) - others;
            assertThat(reported).isBetween(0L, bytes + threads * 1024L);
            detach(jdk, jvm, profiler, before);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void oneThousandThreadsArePolled(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Polled").on(jdk).with("-Xmx64m", "-Xss256k").start()) {
            assertThat(jvm.ask("many 1000")).isEqualTo("started");
            Set<String> before = mapped(jvm);
            Attached profiler = attach(jvm, "0 ALLOCATIONS MONITORS");
            awaitFirstLook(profiler);
            String[] block = jvm.ask("block").split(" ");
            awaitLine(profiler, "owners", block[3]);
            assertThat(jvm.ask("free")).isEqualTo("free");
            long bytes = Long.parseLong(jvm.ask("allocate 64"));
            Deadline deadline = Deadline.in(EventLog.PATIENCE);
            while (Long.parseLong(profiler.ask("allocated allocates")) < bytes) {
                deadline.check("fewer than %d bytes", bytes);
            }
            detach(jdk, jvm, profiler, before);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-02", "R-10"})
    void polledEventIsNotChosenByTheHostAndAnIntervalOutOfRangeIsRefused(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Polled").on(jdk).start()) {
            Set<String> before = mapped(jvm);
            Attached profiler = attach(jvm, "0 MONITORS");
            for (long refused : new long[] {-1, 0, 999_999, 10_000_000_001L, Long.MAX_VALUE}) {
                assertThat(profiler.ask("interval " + refused))
                        .as("%d", refused)
                        .isEqualTo("FAILED");
            }
            assertThat(profiler.ask("interval 1000000")).isEqualTo("OK");
            assertThat(profiler.ask("interval 10000000000")).isEqualTo("OK");
            assertThat(profiler.ask("interval 100000000")).isEqualTo("OK");
            jvm.ask("block");
            awaitLooks(profiler, 3);
            assertThat(jvm.ask("free")).isEqualTo("free");
            assertThat(Long.parseLong(profiler.ask("longest"))).isGreaterThan(50_000_000);
            if (jdk.feature() >= 21) {
                for (String event : List.of("MONITORS", "ALLOCATIONS")) {
                    assertThat(profiler.ask("default " + event)).isEqualTo("LASTING_COST_NOT_ACCEPTED");
                }
            }
            assertThat(profiler.ask("asynchronous")).isEqualTo("[MONITORS]");
            detach(jdk, jvm, profiler, before);
        }
    }

    /** Makes a runtime that has only the module java.base. The jlink of a JDK from testing/get-jdks does not run. */
    static Jdk linked(Jdk jdk, Path home) throws Exception {
        String jlink = jdk.tool("jlink").toString();
        assumeTrue(Command.run(EventLog.PATIENCE, jlink, "--version").exitCode() == 0, jlink + " does not run");
        Command linked =
                Command.run(EventLog.PATIENCE, jlink, "--add-modules", "java.base", "--output", home.toString());
        assertThat(linked.exitCode()).as(linked.evidence()).isZero();
        assertThat(home.resolve("lib/libmanagement.so")).doesNotExist();
        return new Jdk(home.toRealPath(), jdk.feature(), jdk.version());
    }

    /** A runtime that has only the module java.base: the JVM has its functions without the module java.management. */
    @ParameterizedTest
    @MethodSource("jdks")
    void runtimeWithoutTheModuleForManagementIsPolled(Jdk jdk) throws Exception {
        try (Jvm jvm =
                Jvm.run("Polled").on(linked(jdk, folder.resolve("runtime"))).start()) {
            Set<String> before = new HashSet<>(mapped(jvm));
            Attached profiler = attach(jvm, "1 ALLOCATIONS MONITORS");
            String[] block = jvm.ask("block").split(" ");
            awaitLine(profiler, "owners", block[3] + " -");
            awaitFirstLook(profiler);
            assertThat(jvm.ask("free")).isEqualTo("free");
            long bytes = Long.parseLong(jvm.ask("allocate 16"));
            Deadline deadline = Deadline.in(EventLog.PATIENCE);
            while (Long.parseLong(profiler.ask("allocated allocates")) < bytes) {
                deadline.check("fewer than %d bytes", bytes);
            }
            detach(jdk, jvm, profiler, new TreeSet<>(before));
        }
    }
}
