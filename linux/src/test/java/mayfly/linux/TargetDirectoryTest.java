package mayfly.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import mayfly.linux.proc.Permissions;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TargetDirectoryTest {
    private static final String OWN = ".mayfly-0123456789abcdef";
    private static final String NAME = "library.so";
    private static final int OTHER_USER = 1000;
    private static final int OWNER_READS = 0500;
    /** Binds a directory of root over /mnt in new namespaces of this user, who then is uid 0 there. */
    private static final String BINDING = "mount --bind \"$1\" /mnt && echo bound; read -r line";

    @TempDir
    private Path folder;

    private void open(int user, boolean mayBeChosen) throws IOException {
        try (Fd root = Open.directory("/");
                Fd opened = TargetDirectory.open(root, folder.toString(), user, mayBeChosen)) {
            assertThat(opened.number()).isPositive();
        }
    }

    @Test
    void chosenDirectoryOfAnotherUserIsRefused() throws Exception {
        int user = Permissions.read().euid() + 1;
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxr-x"));
        assertThatThrownBy(() -> open(user, true))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessageStartingWith(
                        "it belongs to user id " + Permissions.read().euid());
        open(user, false);
    }

    @Test
    void chosenDirectoryOfTheUserOrOfAllIsOpened() throws Exception {
        int user = Permissions.read().euid();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        open(user, true);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        open(user + 1, true);
    }

    @Test
    @Tag("privileged")
    void directoryThatTheTargetBoundOverAnotherReceivesNoFile() throws Exception {
        receivesNoFile("/mnt", "--mount", "sh", "-c", BINDING, "sh", folder.toString());
    }

    @Test
    @Tag("privileged")
    void directoryBelowARootThatTheTargetChoseReceivesNoFile() throws Exception {
        receivesNoFile("/usr", "chroot", "/proc/self/root", "sh", "-c", "echo bound; read -r line");
    }

    private void receivesNoFile(String directory, String... started) throws Exception {
        assumeTrue(Permissions.read().euid() == 0, "needs root, whose files the directory would receive");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> command = new ArrayList<>(List.of(
                "setpriv",
                "--reuid",
                Integer.toString(OTHER_USER),
                "--clear-groups",
                "unshare",
                "--user",
                "--map-root-user"));
        command.addAll(List.of(started));
        Process target = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assumeTrue("bound".equals(target.inputReader().readLine()), "an ordinary user may not make namespaces");
            try (LiveProcess process = LiveProcess.open((int) target.pid())) {
                ProcessFiles files = process.files();
                assertThatThrownBy(() -> files.placeApart(directory, OWN, NAME, new byte[1], OWNER_READS, OTHER_USER)
                                .close())
                        .isInstanceOf(AccessDeniedException.class);
                assertThatThrownBy(() -> files.place(directory, NAME, new byte[1], OWNER_READS, OTHER_USER)
                                .close())
                        .isInstanceOf(AccessDeniedException.class);
                files.placeApart("/tmp", OWN, NAME, new byte[1], OWNER_READS, OTHER_USER)
                        .close();
            }
        } finally {
            target.destroyForcibly().waitFor();
        }
        assertThat(folder).isEmptyDirectory();
    }
}
