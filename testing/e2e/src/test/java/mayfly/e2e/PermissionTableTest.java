package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One test for each row of docs/permissions.md: a permission and its effect. */
class PermissionTableTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final int NOT_PERMITTED = 4;

    @TempDir
    private Path folder;

    private List<String> asNobody = List.of();
    private Path file = Path.of("");

    @BeforeEach
    void giveTheFolderToNobody() throws Exception {
        asNobody = Privileges.asNobody();
        Privileges.giveToNobody(folder);
        file = folder.resolve("out.collapsed");
    }

    private Jvm nobodys() {
        return Jvm.run("Busy").under(asNobody.toArray(String[]::new)).start();
    }

    /** Returns a prefix that runs a command as an ordinary user with some capabilities, such as {@code perfmon}. */
    private List<String> withCapabilities(String... names) {
        String sets = "+" + String.join(",+", names);
        List<String> prefix = Denial.with(asNobody, "--inh-caps", sets, "--ambient-caps", sets);
        Command tried = Command.run(LIMIT, Denial.with(prefix, "true").toArray(String[]::new));
        assumeTrue(tried.exitCode() == 0, "capabilities cannot be passed on here: " + tried.stderr());
        return prefix;
    }

    private Command record(List<String> prefix, long pid, String... more) {
        String[] arguments = {"record", "--json", "-d", "700ms", "-F", "99", "-o", file.toString(), Long.toString(pid)};
        return LaunchedMayfly.runUnder(
                prefix, LIMIT, folder, Denial.with(List.of(arguments), more).toArray(String[]::new));
    }

    private static Command doctor(List<String> prefix, long pid) {
        return LaunchedMayfly.runUnder(prefix, LIMIT, Path.of("/"), "doctor", Long.toString(pid));
    }

    private void assertRecorded(Command done, String... words) throws Exception {
        Checks.recorded(done, file);
        assertThat(done.stdout()).as(done.evidence()).contains(words);
    }

    /** Asserts exit code 4 with the settings named; the doctor reports the same and a remedy. */
    private void assertRefused(Command done, Command doctor, String... words) throws Exception {
        Checks.refused(done, NOT_PERMITTED, "not-permitted", folder);
        assertThat(done.stderr()).as(done.evidence()).contains(words);
        assertThat(doctor.exitCode()).as(doctor.evidence()).isEqualTo(NOT_PERMITTED);
        assertThat(doctor.stdout()).as(doctor.evidence()).contains("missing", "docker run --cap-add PERFMON");
    }

    @Test
    void capSysAdminAllowsBreakpointsAndCapPerfmonDoesNot() throws Exception {
        try (Jvm jvm = nobodys()) {
            List<String> perfmon = withCapabilities("perfmon");
            Command refused = record(perfmon, jvm.pid(), "-e", "alloc-class");
            Checks.refused(refused, NOT_PERMITTED, "not-permitted", folder);
            List<String> admin = withCapabilities("sys_admin");
            assertThat(doctor(admin, jvm.pid()).stdout()).contains("ok       uprobes");
            Command allowed = record(admin, jvm.pid(), "-e", "alloc-class");
            assertThat(allowed.exitCode()).as(allowed.evidence()).isZero();
        }
    }

    @Test
    void capPerfmonAllowsSystemWideAndKernelSamples() throws Exception {
        try (Jvm jvm = nobodys()) {
            List<String> perfmon = withCapabilities("perfmon");
            assertRecorded(record(perfmon, jvm.pid()), "system-wide");
            assertThat(doctor(perfmon, jvm.pid()).stdout()).contains("ok       perf system-wide");
        }
    }

    @Test
    void capSysPtraceAllowsOtherUsersProcesses() throws Exception {
        try (Jvm jvm = Jvm.run("Busy").start()) {
            assertRecorded(record(withCapabilities("sys_ptrace"), jvm.pid()), "\"collector\":\"perf");
            assertRecorded(record(withCapabilities("sys_ptrace", "perfmon"), jvm.pid()), "system-wide");
        }
    }

    @Test
    void withoutBpfForeignSamplesAreFilteredInUserSpace() throws Exception {
        try (Jvm jvm = Jvm.run("Busy").start()) {
            assertRecorded(record(Denial.of("bpf=EPERM", "setpriority=EPERM"), jvm.pid()), "filtered after the copy");
        }
    }

    /** As with the filter of a container, and with kernels whose perf_event_paranoid has the levels 3 and 4. */
    @ParameterizedTest
    @ValueSource(strings = {"EPERM", "EACCES", "ENOSYS"})
    void withoutPerfThreadsAreSampledByPtrace(String error) throws Exception {
        List<String> prefix =
                Denial.with(asNobody, Denial.of("perf_event_open=" + error).toArray(String[]::new));
        try (Jvm jvm = nobodys()) {
            assertRecorded(
                    record(prefix, jvm.pid()),
                    "\"collector\":\"ptrace",
                    "perf_event_open of",
                    "kernel.perf_event_paranoid is ",
                    "a seccomp filter is in force",
                    "sampled by stopping threads");
            Command doctor = doctor(prefix, jvm.pid());
            assertThat(doctor.exitCode()).as(doctor.evidence()).isZero();
            assertThat(doctor.stdout()).contains("limited  perf per thread: " + error, "ok       ptrace");
        }
    }

    @Test
    void recordWithoutPerfAndPtraceIsRefused() throws Exception {
        List<String> prefix = Denial.with(
                asNobody, Denial.of("perf_event_open=EPERM", "ptrace=EPERM").toArray(String[]::new));
        try (Jvm jvm = nobodys()) {
            assertRefused(
                    record(prefix, jvm.pid()),
                    doctor(prefix, jvm.pid()),
                    "system-wide",
                    "per-thread",
                    "ptrace seize: EPERM",
                    "kernel.perf_event_paranoid is ",
                    "a seccomp filter is in force");
        }
    }

    @Test
    void recordWithoutProcessVmReadvIsRefused() throws Exception {
        List<String> prefix =
                Denial.with(asNobody, Denial.of("process_vm_readv=EPERM").toArray(String[]::new));
        try (Jvm jvm = nobodys()) {
            assertRefused(
                    record(prefix, jvm.pid()),
                    doctor(prefix, jvm.pid()),
                    "process_vm_readv: EPERM",
                    "a seccomp filter is in force");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pidfd_open=EPERM", "openat2=EPERM"})
    void seccompFilterThatForbidsNewerCallsIsNamed(String call) throws Exception {
        List<String> prefix = Denial.with(asNobody, Denial.of(call).toArray(String[]::new));
        try (Jvm jvm = nobodys()) {
            Command done = record(prefix, jvm.pid());
            Checks.refused(done, NOT_PERMITTED, "not-permitted", folder);
            assertThat(done.stderr()).contains("EPERM", "a seccomp filter is in force");
        }
    }

    /**
     * The filter forbids perf_event_open only. The started program is a child of Mayfly, so yama 1 would permit Mayfly
     * to trace it, too.
     */
    @Test
    void startedProgramIsRecordedByPtrace() throws Exception {
        List<String> prefix =
                Denial.with(asNobody, Denial.of("perf_event_open=EPERM").toArray(String[]::new));
        Command done = LaunchedMayfly.runUnder(
                prefix,
                LIMIT,
                folder,
                "demo",
                "-d",
                "2s",
                "-o",
                folder.resolve("demo.html").toString());
        String page = Checks.recorded(done, folder.resolve("demo.html"));
        assertThat(Checks.unpacked(page).contains("sampled by stopping threads"))
                .as(done.evidence())
                .isTrue();
    }

    @Test
    void aJvmInAPidNamespaceIsRecordedFromOutside() throws Exception {
        Denial.assumeWorks(List.of("unshare", "--pid", "--fork", "--mount-proc"));
        try (Jvm jvm = Jvm.run("Busy")
                .under("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
                .start()) {
            long pid = ProcessHandle.of(jvm.pid())
                    .orElseThrow()
                    .children()
                    .findFirst()
                    .orElseThrow()
                    .pid();
            assertRecorded(record(List.of(), pid), "filtered in the kernel");
            assertThat(jvm.ask("cpu")).isNotEmpty();
        }
    }

    @Test
    void kernelFilterWorksInsideAPidNamespace() throws Exception {
        List<String> inside = List.of("unshare", "--pid", "--fork", "--mount-proc");
        Denial.assumeWorks(inside);
        Command done = LaunchedMayfly.runUnder(
                inside,
                LIMIT,
                folder,
                "demo",
                "-d",
                "1s",
                "-o",
                folder.resolve("demo.html").toString());
        Checks.recorded(done, folder.resolve("demo.html"));
        assertThat(done.stderr()).contains("filtered in the kernel");
    }

    /** The process ids are of one namespace and /proc is of another. Mayfly does not confuse them. */
    @Test
    void aProcOfAnotherPidNamespaceIsRefused() throws Exception {
        Denial.assumeWorks(List.of("unshare", "--pid", "--fork"));
        Command done = record(List.of("unshare", "--pid", "--fork"), 1);
        Checks.refused(done, 5, "unsupported-kernel", folder);
        assertThat(done.stderr()).contains("another pid namespace");
    }

    @Test
    void aJvmInAUserNamespaceIsRecordedByItsUserAndByRoot() throws Exception {
        List<String> inside = Denial.with(asNobody, "unshare", "--user", "--map-root-user");
        Denial.assumeWorks(inside);
        try (Jvm jvm = Jvm.run("Busy").under(inside.toArray(String[]::new)).start()) {
            assertRecorded(record(asNobody, jvm.pid()), "per thread");
            assertRecorded(record(List.of(), jvm.pid()), "system-wide");
        }
    }

    /** Root of a user namespace is an unprivileged user outside of it. */
    @Test
    void namespaceRootMayNotRecordAJvmOutside() throws Exception {
        List<String> inside = Denial.with(asNobody, "unshare", "--user", "--map-root-user");
        Denial.assumeWorks(inside);
        try (Jvm jvm = nobodys()) {
            Command doctor = doctor(inside, jvm.pid());
            assertRefused(record(inside, jvm.pid()), doctor, "more capabilities");
            assertThat(doctor.stdout()).contains("only within this user namespace");
        }
    }

    @Test
    void procMountedWithHidepidIsNamed() throws Exception {
        String script = "mount -t proc -o hidepid=2 proc /proc || exit 99; exec \"$@\"";
        List<String> hidden = List.of("unshare", "--mount", "sh", "-c", script, "sh");
        Denial.assumeWorks(hidden);
        try (Jvm jvm = Jvm.run("Idle").start()) {
            Command done = record(Denial.with(hidden, asNobody.toArray(String[]::new)), jvm.pid());
            Checks.refused(done, NOT_PERMITTED, "not-permitted", folder);
            assertThat(done.stderr()).contains("hidepid");
        }
    }
}
