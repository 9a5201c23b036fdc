package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The kernel calls that concern a target, as strace reports them: stops, reads and releases, and no writes. */
class HandsOffTest {
    private static final Path STRACE = Path.of("/usr/bin/strace");
    private static final Duration LIMIT = Patience.of(Duration.ofMinutes(2));
    /** The calls that a command could use on another process. */
    private static final List<String> CALLS = List.of(
            "ptrace",
            "process_vm_readv",
            "process_vm_writev",
            "kill",
            "tkill",
            "tgkill",
            "pidfd_send_signal",
            "connect",
            "open",
            "openat",
            "openat2");

    private static final Pattern REQUEST = Pattern.compile("\\bptrace\\((\\w+)");

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    static List<Arguments> commands(TestInfo test) {
        return Scale.jdks(
                test,
                List.of(
                        "stack",
                        "stack --together",
                        "stack --every 50ms -d 500ms",
                        "record --collector ptrace -F 99 -d 500ms"));
    }

    @Requirement("T-11")
    @ParameterizedTest
    @MethodSource("commands")
    void recordAndStackOnlyReadRegistersAndMemory(String command, Jdk jdk, @TempDir Path folder) throws Exception {
        assumeTrue(Files.isExecutable(STRACE), "no strace");
        Path log = folder.resolve("calls");
        try (Jvm jvm = Jvm.run("Busy").args("2").on(jdk).start()) {
            List<String> words = Stream.concat(
                            Stream.of(command.split(" ")),
                            command.equals("stack") || command.endsWith("together")
                                    ? Stream.of(Long.toString(jvm.pid()))
                                    : Stream.of(
                                            "-o",
                                            folder.resolve("out.collapsed").toString(),
                                            Long.toString(jvm.pid())))
                    .toList();
            Command done = LaunchedMayfly.runUnder(
                    List.of(
                            STRACE.toString(),
                            "-f",
                            "-qq",
                            "-e",
                            "trace=ptrace,process_vm_writev,open,openat,openat2",
                            "-o",
                            log.toString()),
                    LIMIT,
                    folder,
                    words.toArray(String[]::new));
            assertThat(done.exitCode()).as(done.evidence()).isZero();
            String calls = Files.readString(log);
            assertThat(REQUEST.matcher(calls)
                            .results()
                            .map(request -> request.group(1))
                            .collect(Collectors.toSet()))
                    .contains("PTRACE_SEIZE", "PTRACE_GETREGSET")
                    .isSubsetOf("PTRACE_SEIZE", "PTRACE_INTERRUPT", "PTRACE_GETREGSET", "PTRACE_DETACH");
            assertThat(calls).doesNotContain("process_vm_writev(");
            assertThat(calls.lines()
                            .filter(line -> line.contains("/proc/" + jvm.pid())
                                    && !line.contains("O_RDONLY")
                                    && !line.contains("O_PATH")))
                    .isEmpty();
        }
    }

    /** An audit does not involve the target: no stop, no signal, no message to the attach listener. */
    @ParameterizedTest
    @MethodSource("jdks")
    void auditOnlyReadsTheTarget(Jdk jdk, @TempDir Path folder) throws Exception {
        assumeTrue(Files.isExecutable(STRACE), "no strace");
        Path log = folder.resolve("calls");
        try (Jvm jvm = Jvm.run("Busy").args("2").on(jdk).start()) {
            Command done = LaunchedMayfly.runUnder(
                    List.of(
                            STRACE.toString(),
                            "-f",
                            "-qq",
                            "-e",
                            "trace=" + String.join(",", CALLS),
                            "-o",
                            log.toString()),
                    LIMIT,
                    folder,
                    "audit",
                    Long.toString(jvm.pid()));
            assertThat(done.exitCode()).as(done.evidence()).isZero();
            String calls = Files.readString(log);
            assertThat(calls)
                    .contains("process_vm_readv(" + jvm.pid() + ",")
                    .doesNotContain(
                            "ptrace(",
                            "process_vm_writev(",
                            "pidfd_send_signal(",
                            "kill(" + jvm.pid() + ",",
                            ".java_pid");
            assertThat(calls.lines()
                            .filter(line -> line.contains("/proc/" + jvm.pid())
                                    && !line.contains("O_RDONLY")
                                    && !line.contains("O_PATH")))
                    .isEmpty();
        }
    }
}
