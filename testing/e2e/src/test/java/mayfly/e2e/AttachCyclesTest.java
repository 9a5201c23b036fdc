package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Repeated attach and detach under load with every event enabled. */
class AttachCyclesTest {
    private static final int CYCLES = Scale.count(8, 1000);
    /**
     * The first cycle whose state is compared. Before it, the JVM and the C library have created everything that they
     * create only once.
     */
    private static final int FIRST = 3;
    /** Threads whose number the JVM chooses itself, and the program's short-lived threads. */
    private static final String VARYING = "C[12] Compiler.*|G1 .*|GC Thread.*|short";

    private static final int MEMORY_CYCLES = Scale.count(20, 500);
    /** Upper bound on the growth of the reachable objects during all cycles, KiB. */
    private static final int MOST_LIVE = 256;
    /** Upper bound on the growth of the memory of the process, KiB. 25 cycles were seen to add 240 KiB. */
    private static final int MOST_PRIVATE = 1024 + 16 * MEMORY_CYCLES;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-22", "D-13"})
    void attachCyclesLeaveNoGrowth(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).with("-Xmx256m").start()) {
            jvm.ask("churn");
            Map<String, Object> early = Map.of();
            for (int i = 0; i < CYCLES; i++) {
                Attached profiler = Attached.to(jvm, folder, ProfilerJars.ALL_EVENTS.replace(",", ""));
                assertThat(profiler.ask("classes")).contains("mayfly.targets.ThreadAndClassChurn");
                profiler.detach();
                assertThat(HostTrace.of(jvm)).as("after cycle %d", i).isEmpty();
                if (i == FIRST) {
                    early = seen(jvm);
                }
            }
            assertThat(seen(jvm)).isEqualTo(early);
            long before = Long.parseLong(jvm.ask("work"));
            while (Long.parseLong(jvm.ask("work")) == before) {
                Thread.onSpinWait();
            }
            assertThat(classes(jvm))
                    .contains("mayfly.targets.ThreadAndClassChurn")
                    .doesNotContain("mayfly.host", "mayfly.api", "mayfly.profilers");
        }
    }

    /**
     * The program is idle and interpreted: one that loads classes, or that the JVM compiles, varies by more than a leak
     * in a few cycles.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-22")
    void attachCyclesLeaveTheMemoryOfAnIdleProgramAsItWas(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-Xint", "-XX:+UseSerialGC", "-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch")
                .start()) {
            Memory early = new Memory(0, 0);
            for (int i = 0; i < MEMORY_CYCLES; i++) {
                Attached profiler = Attached.to(jvm, folder, ProfilerJars.ALL_EVENTS.replace(",", ""));
                assertThat(profiler.ask("classes")).contains("mayfly.targets.ThreadAndClassChurn");
                profiler.detach();
                if (i == FIRST) {
                    early = Memory.of(jvm);
                }
            }
            Memory late = Memory.of(jvm);
            assertThat(late.liveKilobytes()).as("%s, %s", early, late).isLessThan(early.liveKilobytes() + MOST_LIVE);
            assertThat(late.privateKilobytes())
                    .as("%s, %s", early, late)
                    .isLessThan(early.privateKilobytes() + MOST_PRIVATE);
        }
    }

    /**
     * The memory of a process.
     *
     * @param liveKilobytes the reachable objects of the JVM's heap
     * @param privateKilobytes what only this process has written: the whole heap, the VM and the C library
     */
    private record Memory(long liveKilobytes, long privateKilobytes) {
        static Memory of(Jvm jvm) throws IOException {
            Command histogram = Command.run(
                    Attached.LIMIT,
                    Jdk.current().tool("jcmd").toString(),
                    Long.toString(jvm.pid()),
                    "GC.class_histogram");
            String total = histogram.stdout().lines().reduce("", (before, line) -> line);
            assertThat(total).as(histogram.evidence()).startsWith("Total");
            return new Memory(
                    Long.parseLong(total.split(" +")[2]) >> 10,
                    Files.readAllLines(Path.of("/proc", Long.toString(jvm.pid()), "smaps_rollup")).stream()
                            .filter(line -> line.startsWith("Private_Dirty:"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                            .sum());
        }
    }

    /**
     * Returns everything that must not grow: descriptors, mapped files, sockets, and threads by name, except those
     * whose number varies anyway. A new thread first has the name of its creator, so the number of threads with that
     * name varies too.
     */
    private static Map<String, Object> seen(Jvm jvm) throws Exception {
        Path proc = Path.of("/proc", Long.toString(jvm.pid()));
        Map<String, Object> counts = new TreeMap<>();
        counts.put("descriptors", Checks.files(proc.resolve("fd")).size());
        counts.put("mapped files", (int) Files.readAllLines(proc.resolve("maps")).stream()
                .map(line -> line.replaceFirst("^\\S+ +\\S+ +\\S+ +\\S+ +\\S+ *", ""))
                .filter(path -> path.startsWith("/"))
                .distinct()
                .count());
        counts.put(
                "threads",
                Checks.files(proc.resolve("task")).stream()
                        .map(AttachCyclesTest::name)
                        .filter(name -> !name.isEmpty() && !name.matches(VARYING))
                        .distinct()
                        .sorted()
                        .toList());
        return counts;
    }

    /** Returns an empty text if the thread has ended. */
    private static String name(Path task) {
        try {
            return Files.readString(task.resolve("comm")).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** Reads the JVM's own list from inside. */
    private String classes(Jvm jvm) throws IOException {
        Path listed = folder.resolve("classes");
        assertThat(jvm.ask("diagnose " + listed + " vmClassHierarchy")).isEqualTo("asked");
        return Files.readString(listed);
    }
}
