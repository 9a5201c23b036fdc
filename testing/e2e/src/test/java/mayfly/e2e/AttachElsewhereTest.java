package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The JVM of another user, with its own process ids, mounts and root directory. Root attaches to it and acts as that
 * user.
 */
class AttachElsewhereTest {
    @TempDir
    private Path folder;

    @TempDir
    private Path home;

    /** As in {@link ElsewhereTest}; a host supports JDK 17 and later. */
    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @BeforeEach
    void othersMayEnter() throws Exception {
        Privileges.assumeRoot("to act as another user");
        Privileges.giveToNobody(home);
    }

    @AfterEach
    void removeLinks() throws Exception {
        Checks.removeLinks(home);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-20", "D-13"})
    void profilerInAContainerIsAttachedAndDetached(Jdk jdk) throws Exception {
        try (Jvm jvm = Namespaces.newRootAndPids(Jvm.run("ThreadAndClassChurn").on(jdk), jdk, home, "65534:65534")
                .start()) {
            long pid = Namespaces.child(jvm);
            String number = Long.toString(pid);
            mayfly(
                    "attach",
                    number,
                    "--profiler",
                    ProfilerJars.scripted(folder, "THREADS").toString(),
                    "--data",
                    "THREADS",
                    "--accept-lasting-cost");
            assertThat(HostTrace.of(pid))
                    .as("the host is there, without a file")
                    .isNotEmpty()
                    .noneMatch(line -> line.startsWith(".mayfly-"));
            assertThat(mayfly("send", number, "echo from afar").stdout().strip())
                    .isEqualTo("from afar");
            assertThat(mayfly("status", number).stdout()).contains("ScriptedProfiler is active");
            mayfly("detach", number);
            assertThat(HostTrace.of(pid)).isEmpty();
            assertThat(Checks.files(Path.of("/proc", number, "root/tmp")))
                    .as("neither the library nor a socket is left")
                    .allMatch(path -> path.getFileName().toString().startsWith("hsperfdata_"));
            assertThat(jvm.ask("load")).isEqualTo("a guest");
        }
    }

    private Command mayfly(String... arguments) {
        Command done = LaunchedMayfly.runWithState(folder, Attached.LIMIT, arguments);
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        return done;
    }
}
