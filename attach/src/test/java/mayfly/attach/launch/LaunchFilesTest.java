package mayfly.attach.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that may start a JVM with the files of a launch, as directories like those in /proc. */
class LaunchFilesTest {
    private static final String FOLDER = "/tmp/mayfly-launch-0011";

    @TempDir
    private Path proc;

    @Test
    void environmentThatContainsTheFolderNamesIt() throws Exception {
        Files.writeString(proc.resolve("environ"), "A=b\0JAVA_TOOL_OPTIONS=-agentpath:" + FOLDER + "/x.so\0");
        assertThat(LaunchFiles.mayName(proc, FOLDER)).isTrue();
        assertThat(LaunchFiles.mayName(proc, "/tmp/mayfly-launch-0022")).isFalse();
    }

    @Test
    void unreadableEnvironmentCountsAsNamingIfTheUserIsTheSame() throws Exception {
        Files.createDirectory(proc.resolve("environ")); // not readable, even by root
        Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Files.writeString(proc.resolve("status"), "Name:\tx\nUid:\t" + self + "\t0\t0\t0\nVmSize:\t9 kB\n");
        assertThat(LaunchFiles.mayName(proc, FOLDER)).isTrue();
        Files.writeString(proc.resolve("status"), "Name:\tx\nUid:\t4711\t4711\t4711\t4711\nVmSize:\t9 kB\n");
        assertThat(LaunchFiles.mayName(proc, FOLDER)).isFalse();
    }

    /** A set-uid program may change its real user, not its session. In a container this session can be 0. */
    @Test
    void unreadableEnvironmentCountsAsNamingIfTheSessionIsTheSame() throws Exception {
        Files.createDirectory(proc.resolve("environ"));
        String session = Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("NSsid:"))
                .findFirst().orElseThrow();
        String another = "Name:\tx\nUid:\t4711\t4711\t4711\t4711\n%s\nVmSize:\t9 kB\n";
        Files.writeString(proc.resolve("status"), another.formatted(session));
        assertThat(LaunchFiles.mayName(proc, FOLDER)).isTrue();
        Files.writeString(proc.resolve("status"), another.formatted("NSsid:\t4711"));
        assertThat(LaunchFiles.mayName(proc, FOLDER)).isFalse();
    }

    @Test
    void kernelThreadDoesNotNameTheFolder() throws Exception {
        Files.createDirectory(proc.resolve("environ"));
        Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Files.writeString(proc.resolve("status"), "Name:\tkworker\nUid:\t" + self + "\t0\t0\t0\n");
        assertThat(LaunchFiles.mayName(proc, FOLDER)).isFalse();
    }

    @Test
    void endedProcessDoesNotNameTheFolder() {
        assertThat(LaunchFiles.mayName(proc.resolve("gone"), FOLDER)).isFalse();
    }
}
