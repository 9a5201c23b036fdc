package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mayfly.kit.Command;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.kit.Project;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each row of the least permissions in docs/kubernetes.md, read from the page: a JVM and Mayfly as processes of two
 * containers that share a process namespace.
 */
class ContainerTableTest {
    /** On a busy machine, a target gets a small share of the CPUs, and needs more time to be sampled. */
    private static final String DURATION = Patience.of(Duration.ofMillis(700)).toMillis() + "ms";

    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final int NOT_PERMITTED = 4;
    private static final Path PAGE = Project.root().resolve("docs/kubernetes.md");
    private static final int USER = 1000;
    private static final Process A_USER = new Process("none", USER);
    private static final Process ROOT = new Process("default", 0);

    /** The words of the columns "JVM" and "Mayfly". */
    private static final Map<String, Process> PROCESSES = Map.of(
            "any user, no capabilities",
            A_USER,
            "another user",
            A_USER,
            "the same user and group, no capabilities",
            A_USER,
            "root, default capabilities",
            ROOT,
            "root, default capabilities and SYS_PTRACE",
            new Process("default,SYS_PTRACE", 0),
            "root, all dropped except SYS_PTRACE and DAC_READ_SEARCH",
            new Process("SYS_PTRACE,DAC_READ_SEARCH", 0),
            "root, default capabilities, SYS_PTRACE and PERFMON",
            new Process("default,SYS_PTRACE,PERFMON", 0),
            "as before, and BPF",
            new Process("default,SYS_PTRACE,PERFMON,BPF", 0));

    /** The beginnings of the column "way to sample", and the text that a recording then prints. */
    private static final Map<String, String> WAYS = Map.of(
            "ptrace", "\"collector\":\"ptrace",
            "perf per thread", "task clock per thread, user space only",
            "perf system-wide", "filtered after the copy",
            "the same", "filtered in the kernel");

    @TempDir
    private Path folder;

    /** A container's process: its capabilities, and the id of its user and group. */
    private record Process(String capabilities, int user) {
        List<String> prefix(String filter) throws IOException {
            Path program = CSource.build("container");
            List<String> prefix = List.of(
                    "unshare",
                    "--mount",
                    "--uts",
                    "--ipc",
                    program.toString(),
                    capabilities,
                    Integer.toString(user),
                    filter,
                    "--");
            Denial.assumeWorks(prefix);
            return prefix;
        }

        Jvm jvm(String program) throws IOException {
            return Jvm.run(program)
                    .under(prefix("filtered").toArray(String[]::new))
                    .start();
        }
    }

    private record Row(String way, Process jvm, Process mayfly, String filter) {
        static Row of(String[] cells, String lastWay) {
            return new Row(cells[1].isEmpty() ? lastWay : cells[1], process(cells[2]), process(cells[3]), cells[4]);
        }

        private static Process process(String words) {
            Process process = PROCESSES.get(words);
            assertThat(process).as(words).isNotNull();
            return process;
        }

        String said() {
            return WAYS.entrySet().stream()
                    .filter(known -> way.startsWith(known.getKey()))
                    .map(Map.Entry::getValue)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("an unknown way: " + way));
        }
    }

    static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        String way = "";
        for (String line : Files.readAllLines(PAGE).stream()
                .dropWhile(line -> !line.startsWith("| way to sample"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .toList()) {
            Row row = Row.of(line.replace("`", "").split(" *\\| *"), way);
            way = row.way();
            rows.add(row);
        }
        return rows;
    }

    @BeforeAll
    static void assumeDefaultSettings() throws IOException {
        Privileges.as(USER);
        assumeTrue(Checks.setting("kernel/perf_event_paranoid") == 2, "kernel.perf_event_paranoid is not 2");
    }

    private Command run(Process mayfly, String filter, String... arguments) throws IOException {
        Files.setAttribute(folder, "unix:uid", mayfly.user());
        return LaunchedMayfly.runUnder(mayfly.prefix(filter), LIMIT, folder, arguments);
    }

    @Test
    void theTableHasRows() throws IOException {
        assertThat(rows()).hasSizeGreaterThanOrEqualTo(8);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void recordingWithTheLeastPermissionsSamplesInTheWayOfItsRow(Row row) throws Exception {
        Path file = folder.resolve("out.collapsed");
        try (Jvm jvm = row.jvm().jvm("Busy")) {
            Command done = run(
                    row.mayfly(),
                    row.filter(),
                    "record",
                    "--json",
                    "-d",
                    DURATION,
                    "-F",
                    "99",
                    "-o",
                    file.toString(),
                    Long.toString(jvm.pid()));
            Checks.recorded(done, file);
            assertThat(done.stdout()).as(done.evidence()).contains(row.said());
            assertThat(Files.readString(file)).contains("Busy");
        }
    }

    @Test
    void stackAndWallClockRecordingsNeedNoMoreThanTheSameUser() throws Exception {
        Path file = folder.resolve("out.collapsed");
        try (Jvm jvm = A_USER.jvm("Idle")) {
            Command stack = run(A_USER, "filtered", "stack", Long.toString(jvm.pid()));
            assertThat(stack.exitCode()).as(stack.evidence()).isZero();
            assertThat(stack.stdout()).contains("\"main\"", "\tat mayfly.targets.Idle.main(");
            Command wall = run(
                    A_USER,
                    "filtered",
                    "record",
                    "-e",
                    "wall",
                    "-d",
                    "1s",
                    "-o",
                    file.toString(),
                    Long.toString(jvm.pid()));
            assertThat(Checks.recorded(wall, file)).contains("mayfly.targets.Idle.main");
        }
    }

    @Test
    void rootWithoutSysPtraceIsAdvisedToRunAsTheUserOfTheJvm() throws Exception {
        try (Jvm jvm = A_USER.jvm("Idle")) {
            Command done = run(
                    ROOT,
                    "filtered",
                    "record",
                    "-d",
                    "1s",
                    "-o",
                    folder.resolve("x.html").toString(),
                    Long.toString(jvm.pid()));
            Checks.refused(done, NOT_PERMITTED, "not-permitted", folder);
            assertThat(done.stderr())
                    .as(done.evidence())
                    .contains(
                            "it belongs to user id 1000",
                            "run Mayfly as user 1000 and group 1000, with no fewer capabilities than the JVM's"
                                    + " container",
                            "docker run --user 1000:1000",
                            "runAsUser");
        }
    }

    @Test
    void rootWithFewerCapabilitiesThanTheJvmIsAdvisedToDropNone() throws Exception {
        try (Jvm jvm = ROOT.jvm("Idle")) {
            Command done = run(new Process("none", 0), "filtered", "stack", Long.toString(jvm.pid()));
            Checks.refused(done, NOT_PERMITTED, "not-permitted", folder);
            assertThat(done.stderr())
                    .as(done.evidence())
                    .contains(
                            "has more capabilities",
                            "run Mayfly as user 0 and group 0",
                            "drop no capability that it has");
        }
    }

    @Test
    void profileOnStandardOutputNeedsNoWritableFolder() throws Exception {
        try (Jvm jvm = A_USER.jvm("Busy")) {
            List<String> prefix = Denial.with(
                    List.of(
                            "unshare",
                            "--mount",
                            "sh",
                            "-c",
                            "mount --bind /tmp /tmp && mount -o remount,ro,bind /tmp || exit 99; cd / && exec \"$@\"",
                            "sh"),
                    A_USER.prefix("filtered").toArray(String[]::new));
            Command done = LaunchedMayfly.runUnder(
                    prefix,
                    LIMIT,
                    Path.of("/"),
                    "record",
                    "-d",
                    DURATION,
                    "--format",
                    "collapsed",
                    "-o",
                    "-",
                    Long.toString(jvm.pid()));
            assertThat(done.exitCode()).as(done.evidence()).isZero();
            assertThat(done.stdout()).contains("mayfly.targets.Busy");
            assertThat(done.stderr()).contains("the recording is kept in memory");
        }
    }
}
