package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A target that changes its user or its root directory while a profiler is attached. */
class ChangedTargetTest {
    @TempDir
    private Path folder;

    private static Jvm changing() throws Exception {
        Privileges.assumeRoot("to change users and root directories");
        Path classes = Path.of(ChangingTarget.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        return Jvm.run(ChangingTarget.class)
                .classPath(classes.toString())
                .with("--enable-native-access=ALL-UNNAMED")
                .start();
    }

    private String change(String what) {
        return what.equals("chroot") ? "chroot " + folder : what;
    }

    @ParameterizedTest
    @ValueSource(strings = {"setuid 65534", "chroot"})
    @Requirement("D-13")
    void profilerInAChangedTargetIsDetachedCompletely(String what) throws Exception {
        Files.createDirectory(folder.resolve("tmp"));
        try (Jvm jvm = changing()) {
            Attached profiler = Attached.to(jvm, folder, "THREADS");
            assertThat(jvm.ask(change(what))).isEqualTo("0");
            assertThat(profiler.ask("echo still there")).isEqualTo("still there");
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
            assertThat(directories(jvm)).isEmpty();
        }
    }

    @Test
    void targetThatChangedItsUserIsAttachedToAgain() throws Exception {
        try (Jvm jvm = changing()) {
            Attached first = Attached.to(jvm, folder, "THREADS");
            assertThat(jvm.ask("setuid 65534")).isEqualTo("0");
            first.detach();
            Attached second = Attached.to(jvm, folder, "THREADS");
            assertThat(second.ask("echo again")).isEqualTo("again");
            second.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @Test
    void targetThatChangedItsUserStillAnswersJcmdAfterDetach() throws Exception {
        try (Jvm jvm = changing()) {
            Attached profiler = Attached.to(jvm, folder, "THREADS");
            assertThat(jvm.ask("setuid 65534")).isEqualTo("0");
            profiler.detach();
            Command asked = Command.run(
                    Attached.LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), "VM.version");
            assertThat(asked.exitCode()).as(asked.evidence()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"setuid 65534, false", "setuid 65534, true", "chroot, false", "chroot, true"})
    void targetThatChangedAndEndsWithAProfilerAttachedLeavesNoDirectory(String what, boolean killed) throws Exception {
        Files.createDirectory(folder.resolve("tmp"));
        try (Jvm jvm = changing()) {
            Attached.to(jvm, folder, "THREADS");
            assertThat(jvm.ask(change(what))).isEqualTo("0");
            assertThat(HostTrace.of(jvm)).isNotEmpty();
            ProcessHandle process = ProcessHandle.of(jvm.pid()).orElseThrow();
            assertThat(killed ? process.destroyForcibly() : process.destroy()).isTrue();
            process.onExit().join();
            assertThat(directories(jvm)).isEmpty();
        }
    }

    private static List<String> directories(Jvm jvm) throws Exception {
        return HostTrace.files(Path.of("/tmp"), Long.toString(jvm.pid()), Instant.EPOCH).stream()
                .filter(name -> Files.isDirectory(Path.of("/tmp", name)))
                .toList();
    }
}
