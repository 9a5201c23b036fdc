package mayfly.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import mayfly.linux.proc.Permissions;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlacedFileTest {
    private static final String OWN = ".mayfly-0123456789abcdef";
    private static final String NAME = "library.so";
    private static final byte[] CONTENT = {1, 2, 3};
    private static final int OWNER_READS = 0500;

    @TempDir
    private Path folder;

    private static int user() throws IOException {
        return Permissions.read().euid();
    }

    private PlacedFile makeApart() throws IOException {
        return PlacedFile.makeApart(Open.directory(folder.toString()), OWN, NAME, CONTENT, OWNER_READS, user());
    }

    @Test
    void newDirectoryIsPrivateAndContainsTheFile() throws Exception {
        try (PlacedFile placed = makeApart()) {
            Path made = folder.resolve(OWN);
            assertThat(Files.getPosixFilePermissions(made)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
            assertThat(made.resolve(NAME)).as("%s", placed).hasBinaryContent(CONTENT);
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void fileBesideIsRemovedByItsNameOnly() throws Exception {
        try (PlacedFile placed = makeApart()) {
            Path made = folder.resolve(OWN);
            Files.createFile(made.resolve("socket"));
            Files.createFile(made.resolve("kept"));
            placed.removeBeside("socket");
            placed.removeBeside("not there");
            assertThat(made.toFile().list()).containsExactlyInAnyOrder(NAME, "kept");
            Files.delete(made.resolve("kept"));
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void directoryThatReplacedTheNewOneIsUnchanged() throws Exception {
        Path other = Files.createDirectory(
                folder.resolve(OWN),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(other.resolve("kept"), "kept");
        FileTime before = FileTime.fromMillis(1_000_000);
        Files.setLastModifiedTime(other, before);
        Fd above = Open.directory(folder.toString());
        PlacedFile placed = new PlacedFile(Open.directoryItself(above, OWN), NAME, above, OWN);
        assertThatThrownBy(() -> PlacedFile.fillMade(placed, CONTENT, OWNER_READS, user()))
                .hasMessageContaining("was replaced");
        assertThat(Files.getLastModifiedTime(other))
                .as("the time of the last modification")
                .isEqualTo(before);
        assertThat(other.toFile().list()).containsExactly("kept");
    }

    @Test
    void mountPointIsRefusedAsDirectory() throws Exception {
        try (Fd root = Open.directory("/")) {
            assertThatThrownBy(() -> Open.directoryItself(root, "proc"))
                    .isInstanceOfSatisfying(
                            ErrnoException.class, e -> assertThat(e.errnoName()).isEqualTo("EXDEV"));
        }
    }
}
