package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import mayfly.kit.Command;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that has mapped a libjvm.so from a file system that never answers a read. */
class SilentFileSystemTest {
    private static final Duration LIMIT = Patience.of(Duration.ofMinutes(1));

    @TempDir
    private Path folder;

    @Test
    void psSkipsAProcessWhoseMappedFileNeverAnswers() throws Exception {
        try (Jvm jvm = Jvm.run("Idle").start();
                Silent silent = Silent.start(folder, "root");
                Jvm later = Jvm.run("Idle").start()) {
            Command ps = LaunchedMayfly.run(LIMIT, folder, "ps");
            assertThat(ps.exitCode()).as(ps.evidence()).isZero();
            assertThat(ps.stderr())
                    .as(ps.evidence())
                    .contains("process " + silent.pid() + " was left out")
                    .doesNotContain("process " + jvm.pid())
                    .doesNotContain("process " + later.pid());
            assertThat(ps.stdout().lines())
                    .as(ps.evidence())
                    .anyMatch(line -> hasVersion(line, jvm))
                    .anyMatch(line -> hasVersion(line, later));
        }
    }

    /** Even SIGKILL would not end a read of this file. */
    @Test
    void psDoesNotReadFilesThatTheUserOfAProcessServes() throws Exception {
        try (Jvm jvm = Jvm.run("Idle").start();
                Silent silent = Silent.start(folder, "nobody")) {
            Command ps = LaunchedMayfly.run(LIMIT, folder, "ps");
            assertThat(ps.stdout().lines()).as(ps.evidence()).anyMatch(line -> line.startsWith(jvm.pid() + " "));
            assertThat(ps.stderr()).as(ps.evidence()).contains("process " + silent.pid() + " is not read");
        }
    }

    /** The path of the mapped file leads to the silent file system, but root opens the file through the mapping. */
    @Test
    void psDoesNotFollowAPathCoveredByTheUserOfAProcess() throws Exception {
        Path library = Files.createDirectory(folder.resolve("copy")).resolve("libjvm.so");
        Files.write(library, new byte[1 << 20]);
        try (Jvm jvm = Jvm.run("Idle").start();
                Silent silent = Silent.start(folder, "cover")) {
            Command ps = LaunchedMayfly.run(LIMIT, folder, "ps");
            assertThat(ps.stdout().lines())
                    .as(ps.evidence())
                    .anyMatch(line -> line.startsWith(jvm.pid() + " "))
                    .anyMatch(line -> line.startsWith(silent.pid() + " "));
            assertThat(ps.stderr()).as(ps.evidence()).doesNotContain("process " + silent.pid());
        }
    }

    private static boolean hasVersion(String line, Jvm jvm) {
        return line.matches(jvm.pid() + " +r1 +[0-9].*");
    }

    /** The C program and the process that it runs. */
    private record Silent(Process server, String pid) implements AutoCloseable {
        static Silent start(Path folder, String user) throws Exception {
            Privileges.assumeRoot("to mount a file system");
            assumeTrue(Files.exists(Path.of("/dev/fuse")), "the kernel has no /dev/fuse");
            for (Path at = folder; at != null && !at.equals(Path.of("/tmp")); at = at.getParent()) {
                at.toFile().setExecutable(true, false);
            }
            Process server = new ProcessBuilder(CSource.build("silentfs").toString(), folder.toString(), user)
                    .redirectErrorStream(true)
                    .start();
            String ready = server.inputReader().readLine();
            assumeTrue(ready != null && ready.startsWith("READY "), "file systems cannot be mounted: " + ready);
            return new Silent(server, ready.substring(6));
        }

        @Override
        public void close() {
            server.destroyForcibly().onExit().join();
        }
    }
}
