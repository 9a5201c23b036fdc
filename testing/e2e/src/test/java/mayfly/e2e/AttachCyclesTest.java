package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Partly;
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

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-22", "D-13"})
    @Partly("A-22: memory is compared by the bench only")
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
