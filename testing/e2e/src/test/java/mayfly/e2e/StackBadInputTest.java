package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code mayfly stack} with a thread that cannot be stopped, without permission, and with a target that changes. */
class StackBadInputTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final int NOT_PERMITTED = 4;
    /** Settings of a kernel with Yama, for processes started in that mount namespace. */
    private static final String WITH_YAMA = "mkdir -p $1/yama && cp /proc/sys/kernel/perf_event_*"
            + " /proc/sys/kernel/kptr_restrict /proc/sys/kernel/osrelease /proc/sys/kernel/pid_max $1"
            + " && echo 1 > $1/yama/ptrace_scope && mount --bind $1 /proc/sys/kernel || exit 99; shift; exec \"$@\"";

    @TempDir
    private Path folder;

    @TempDir
    private Path settings;

    /** The thread cannot stop before its child ends. Mayfly copies it while it waits, and all others as usual. */
    @ParameterizedTest
    @ValueSource(strings = {"--quiet", "--together"})
    void threadInUninterruptibleSleepIsCopiedWithoutAStop(String how) throws Exception {
        Path library = CSource.build("vforks", "-shared", "-fPIC");
        try (Jvm jvm = own(Vforks.class).args(library.toString()).start()) {
            Command done = CommandLine.run("stack", how, Long.toString(jvm.pid()));
            assertThat(done.exitCode()).as(done.evidence()).isZero();
            String thread = Stream.of(done.stdout().split("\n\n"))
                    .filter(part -> part.startsWith("\"in-vfork\""))
                    .findFirst()
                    .orElseThrow();
            assertThat(thread)
                    .as(done.stdout())
                    .contains(
                            " in native, uninterruptible\n",
                            "\tat mayfly.e2e.Vforks.hold(Native Method)\n",
                            "\tat java.lang.Thread.run(")
                    .doesNotContain("[unsafe", "[broken");
            assertThat(done.stdout()).contains("\tat mayfly.e2e.Vforks.main(").doesNotContain("[unsafe");
            assertNoThreadIsHeld(jvm.pid());
        }
    }

    private static Jvm.Plan own(Class<?> target) throws Exception {
        Path classes = Path.of(
                target.getProtectionDomain().getCodeSource().getLocation().toURI());
        return Jvm.run(target).classPath(classes.toString()).with("--enable-native-access=ALL-UNNAMED");
    }

    private static void assertNoThreadIsHeld(long pid) throws IOException {
        for (Path task : Checks.files(Path.of("/proc/" + pid + "/task"))) {
            assertThat(Files.readString(task.resolve("status")))
                    .contains("TracerPid:\t0")
                    .doesNotContain("State:\tt");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--holes", "--together"})
    void aFilterThatForbidsPtraceIsNamed(String how) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").start()) {
            Command done = LaunchedMayfly.runUnder(
                    Denial.of("ptrace=EPERM"), LIMIT, folder, "stack", how, Long.toString(jvm.pid()));
            Checks.refused(done, NOT_PERMITTED, "not-permitted", folder);
            assertThat(done.stderr()).contains("ptrace seize: EPERM", "a seccomp filter is in force", "mayfly doctor");
            Command unread = LaunchedMayfly.runUnder(
                    Denial.of("process_vm_readv=EPERM"), LIMIT, folder, "stack", how, Long.toString(jvm.pid()));
            Checks.refused(unread, NOT_PERMITTED, "not-permitted", folder);
            assertThat(unread.stderr()).contains("process_vm_readv: EPERM", "a seccomp filter is in force");
        }
    }

    /**
     * A ptrace call that Yama forbids fails with EPERM. Mayfly reads Yama's setting from a file, which the test
     * provides.
     */
    @Test
    void yamaSettingIsNamed() throws Exception {
        Privileges.assumeRoot("to mount");
        List<String> prefix = new ArrayList<>(List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                WITH_YAMA,
                "sh",
                settings.resolve("kernel").toString()));
        Denial.assumeWorks(prefix);
        prefix.addAll(Denial.of("ptrace=EPERM"));
        try (Jvm jvm = Jvm.run("Idle").start()) {
            Command done = LaunchedMayfly.runUnder(prefix, LIMIT, folder, "stack", Long.toString(jvm.pid()));
            Checks.refused(done, NOT_PERMITTED, "not-permitted", folder);
            assertThat(done.stderr()).contains("kernel.yama.ptrace_scope is 1");
        }
    }

    @Test
    void stackWithoutPermissionIsRefused() throws Exception {
        List<String> asNobody = Privileges.asNobody();
        Privileges.giveToNobody(folder);
        try (Jvm jvm = Jvm.run("Idle").start()) {
            Checks.refused(
                    LaunchedMayfly.runUnder(asNobody, LIMIT, folder, "stack", Long.toString(jvm.pid())),
                    4,
                    "not-permitted",
                    folder);
        }
    }

    /** The output does not attribute frames of one program to the other, and the new program is not touched. */
    @Test
    void stackOfATargetThatExecsDoesNotMixThePrograms() throws Exception {
        for (int i = 0; i < Scale.count(4, 50); i++) {
            try (Jvm jvm = own(Execs.class).start();
                    LaunchedMayfly mayfly = LaunchedMayfly.start(
                            "stack", i % 2 == 0 ? "--together" : "--holes", Long.toString(jvm.pid()))) {
                mayfly.process().waitFor(Duration.ofMillis(150 + 100L * (i % 5)));
                jvm.send("exec");
                int status = mayfly.process().onExit().join().exitValue();
                String out = mayfly.stdout();
                if (status == 0) {
                    assertThat(out).contains("\"VM Thread\"", "\tat mayfly.e2e.Execs.main(");
                } else {
                    assertThat(status).as(mayfly.stderr()).isIn(1, 3);
                    assertThat(mayfly.stderr()).containsAnyOf("[target-gone]", "[not-a-jvm]");
                    assertThat(out).isEmpty();
                }
                awaitSleep(jvm);
                assertNoThreadIsHeld(jvm.pid());
                assertThat(jvm.isAlive()).isTrue();
            }
        }
    }

    private static void awaitSleep(Jvm jvm) throws IOException {
        Deadline deadline = Deadline.in(LIMIT);
        while (!Files.readString(Path.of("/proc/" + jvm.pid() + "/comm")).equals("sleep\n")) {
            deadline.check("the target did not execute the other program");
        }
    }
}
