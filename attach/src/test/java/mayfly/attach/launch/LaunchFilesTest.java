package mayfly.attach.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that may start a JVM with the files of a launch, as directories like those in /proc. */
class LaunchFilesTest {
    private static final String FOLDER = "/tmp/mayfly-launch-0011";

    private static final Path SELF = Path.of("/proc/self");

    @TempDir
    private Path proc;

    private boolean mayName() {
        return LaunchFiles.mayName(proc, SELF, FOLDER);
    }

    @Test
    void environmentThatContainsTheFolderNamesIt() throws Exception {
        Files.writeString(proc.resolve("environ"), "A=b\0JAVA_TOOL_OPTIONS=-agentpath:" + FOLDER + "/x.so\0");
        assertThat(mayName()).isTrue();
        assertThat(LaunchFiles.mayName(proc, SELF, "/tmp/mayfly-launch-0022")).isFalse();
    }

    @Test
    void unreadableEnvironmentCountsAsNamingIfTheUserIsTheSame() throws Exception {
        Files.createDirectory(proc.resolve("environ")); // not readable, even by root
        Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Files.writeString(proc.resolve("status"), "Name:\tx\nUid:\t" + self + "\t0\t0\t0\nVmSize:\t9 kB\n");
        assertThat(mayName()).isTrue();
        Files.writeString(proc.resolve("status"), "Name:\tx\nUid:\t4711\t4711\t4711\t4711\nVmSize:\t9 kB\n");
        assertThat(mayName()).isFalse();
    }

    /** A set-uid program may change its real user, not its session. In a container this session can be 0. */
    @Test
    void unreadableEnvironmentCountsAsNamingIfTheSessionIsTheSame() throws Exception {
        Files.createDirectory(proc.resolve("environ"));
        String session = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("NSsid:"))
                .findFirst()
                .orElseThrow();
        String another = "Name:\tx\nUid:\t4711\t4711\t4711\t4711\n%s\nVmSize:\t9 kB\n";
        Files.writeString(proc.resolve("status"), another.formatted(session));
        assertThat(mayName()).isTrue();
        Files.writeString(proc.resolve("status"), another.formatted("NSsid:\t4711"));
        assertThat(mayName()).isFalse();
    }

    @Test
    void kernelThreadDoesNotNameTheFolder() throws Exception {
        Files.createDirectory(proc.resolve("environ"));
        Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Files.writeString(proc.resolve("status"), "Name:\tkworker\nUid:\t" + self + "\t0\t0\t0\n");
        assertThat(mayName()).isFalse();
    }

    @Test
    void endedProcessDoesNotNameTheFolder() {
        assertThat(LaunchFiles.mayName(proc.resolve("gone"), SELF, FOLDER)).isFalse();
    }

    /** A set-uid program may start another one in a new session: sudo -E with its option use_pty. */
    @Test
    void unreadableEnvironmentCountsAsNamingIfTheLoginIsTheSame(@TempDir Path self) throws Exception {
        Files.createDirectory(proc.resolve("environ"));
        Files.writeString(proc.resolve("status"), "Name:\tx\nUid:\t4711\t0\t0\t0\nNSsid:\t9\nVmSize:\t9 kB\n");
        Files.writeString(self.resolve("status"), "Name:\ty\nUid:\t1000\t0\t0\t0\nNSsid:\t8\nVmSize:\t9 kB\n");
        Files.writeString(self.resolve("sessionid"), "12");
        assertThat(LaunchFiles.mayName(proc, self, FOLDER))
                .as("the kernel has no audit")
                .isFalse();
        Files.writeString(proc.resolve("sessionid"), "12");
        assertThat(LaunchFiles.mayName(proc, self, FOLDER)).isTrue();
        Files.writeString(proc.resolve("sessionid"), "13");
        assertThat(LaunchFiles.mayName(proc, self, FOLDER)).isFalse();
    }

    @Test
    void processesWithoutALoginAreUnrelated(@TempDir Path self) throws Exception {
        Files.createDirectory(proc.resolve("environ"));
        Files.writeString(proc.resolve("status"), "Name:\tx\nUid:\t4711\t0\t0\t0\nNSsid:\t9\nVmSize:\t9 kB\n");
        Files.writeString(self.resolve("status"), "Name:\ty\nUid:\t1000\t0\t0\t0\nNSsid:\t8\nVmSize:\t9 kB\n");
        Files.writeString(proc.resolve("sessionid"), "4294967295");
        Files.writeString(self.resolve("sessionid"), "4294967295");
        assertThat(LaunchFiles.mayName(proc, self, FOLDER)).isFalse();
    }

    @Test
    void processesAreListedAndAnErrorDoesNotMeanThatThereAreNone() throws Exception {
        Files.createDirectory(proc.resolve("sys"));
        Files.writeString(Files.createDirectory(proc.resolve("42")).resolve("environ"), "A=" + FOLDER);
        Files.writeString(Files.createDirectory(proc.resolve("43")).resolve("environ"), "A=b");
        assertThat(LaunchFiles.namedBy(proc, FOLDER, Duration.ofMinutes(1))).containsExactly(42L);
        assertThatThrownBy(() -> LaunchFiles.namedBy(proc.resolve("gone"), FOLDER, Duration.ofMinutes(1)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void folderIsFoundAcrossTheWindowsOfALargeEnvironment() throws Exception {
        for (int before : new int[] {(1 << 16) - FOLDER.length(), (1 << 16) - 1, 1 << 16, (1 << 17) - 3}) {
            Files.writeString(proc.resolve("environ"), "x".repeat(before) + FOLDER + "\0" + "y".repeat(100));
            assertThat(mayName()).as("after %d bytes", before).isTrue();
        }
        Files.writeString(proc.resolve("environ"), "x".repeat(1 << 18) + FOLDER.substring(1));
        assertThat(mayName()).isFalse();
    }

    @Test
    void environmentsNotReadInTimeCountAsNaming() throws Exception {
        for (int pid = 1000; pid < 1100; pid++) {
            Files.writeString(Files.createDirectory(proc.resolve("" + pid)).resolve("environ"), "A=b");
        }
        assertThat(LaunchFiles.namedBy(proc, FOLDER, Duration.ZERO)).hasSize(100);
        assertThat(LaunchFiles.namedBy(proc, FOLDER, Duration.ofMinutes(1))).isEmpty();
    }

    @Test
    void environmentOfAnOlderProcessIsNotRead() throws Exception {
        Path older = Files.createDirectory(proc.resolve("45"));
        Files.writeString(older.resolve("environ"), "A=" + FOLDER);
        String own = Files.readString(Path.of("/proc/self/stat"));
        Files.writeString(older.resolve("stat"), own);
        assertThat(LaunchFiles.namedBy(proc, FOLDER, Duration.ofMinutes(1)))
                .as("as old as this one")
                .containsExactly(45L);
        String[] fields = own.substring(own.lastIndexOf(')') + 2).split(" ");
        Files.writeString(older.resolve("stat"), own.replace(" " + fields[19] + " ", " 1 "));
        assertThat(LaunchFiles.namedBy(proc, FOLDER, Duration.ofMinutes(1))).isEmpty();
    }

    @Test
    void environmentThatTheProcessDoesNotDeliverCountsAsNaming() throws Exception {
        Path silent = Files.createDirectory(proc.resolve("44")).resolve("environ");
        assertThat(new ProcessBuilder("mkfifo", silent.toString()).start().waitFor())
                .isZero();
        assertThat(LaunchFiles.namedBy(proc, FOLDER, Duration.ofMillis(50))).containsExactly(44L);
    }

    @Test
    void folderInWhichOthersCouldReplaceTheLibraryIsRefused(@TempDir Path folder) throws Exception {
        assertThat(LaunchFiles.inOwn(folder.resolve("mine")).option()).contains(folder + "/mine/");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> LaunchFiles.inOwn(folder.resolve("other")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("may be written to by other users");
    }
}
