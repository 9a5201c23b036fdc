package mayfly.linux.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import mayfly.linux.proc.Permissions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NewFileTest {
    @TempDir
    private Path folder;

    private NewFile file() throws IOException {
        try {
            return NewFile.unnamed(folder);
        } catch (ErrnoException e) {
            assumeTrue(false, "the file system of " + folder + " has no unnamed files: " + e.errnoName());
            throw e;
        }
    }

    @Test
    void unnamedFileAppearsWhenItIsLinked() throws Exception {
        Path name = folder.resolve("a name");
        try (NewFile file = file()) {
            Files.writeString(file.path(), "all of it");
            assertThat(folder).isEmptyDirectory();
            assertThat(file.path()).hasContent("all of it");
            file.link(name);
        }
        assertThat(name).hasContent("all of it");
        assertThat(Files.getPosixFilePermissions(name))
                .isEqualTo(Files.getPosixFilePermissions(Files.createFile(folder.resolve("usual"))));
    }

    @Test
    void linkDoesNotReplaceAnExistingFile() throws Exception {
        Path taken = Files.writeString(folder.resolve("taken"), "mine");
        try (NewFile file = file()) {
            assertThatThrownBy(() -> file.link(taken)).isInstanceOf(FileAlreadyExistsException.class);
        }
        assertThat(taken).hasContent("mine");
        assertThat(folder.toFile().list()).containsExactly("taken");
    }

    @Test
    void unsupportedFolderForUnnamedFilesIsReported() {
        assertThatThrownBy(() -> NewFile.unnamed(Path.of("/proc"))).isInstanceOf(ErrnoException.class);
        assertThatThrownBy(() -> NewFile.unnamed(folder.resolve("none")))
                .isInstanceOf(ErrnoException.class)
                .hasMessageContaining("ENOENT");
    }

    @Test
    void namedFileIsPrivateAndIsReachedAfterItsNameIsReplaced() throws Exception {
        Path name = folder.resolve("name");
        Path other = Files.writeString(folder.resolve("other"), "other");
        try (NewFile file = NewFile.named(name)) {
            assertThat(Files.getPosixFilePermissions(name)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
            Files.delete(name);
            Files.createSymbolicLink(name, other);
            Files.writeString(file.path(), "mine");
            assertThat(file.path()).hasContent("mine");
        }
        assertThat(other).hasContent("other");
    }

    @Test
    void takenNameIsRefusedEvenIfItIsALink() throws Exception {
        Path other = folder.resolve("other");
        Path link = Files.createSymbolicLink(folder.resolve("link"), other);
        assertThatThrownBy(() -> NewFile.named(link)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(other).doesNotExist();
    }

    @Test
    void reasonOfAFailureIsThatOfTheCLibrary() {
        assertThatThrownBy(() -> NewFile.named(folder.resolve("x".repeat(300))))
                .isInstanceOfSatisfying(
                        FileSystemException.class,
                        e -> assertThat(e.getReason()).isEqualTo("File name too long"));
        assertThatThrownBy(() -> NewFile.named(folder.resolve("none/x"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    @Tag("privileged")
    void ownerIsChanged() throws Exception {
        assumeTrue(Permissions.read().euid() == 0, "needs root");
        try (NewFile file = NewFile.named(folder.resolve("name"))) {
            file.giveTo(1000);
        }
        assertThat(Files.getAttribute(folder.resolve("name"), "unix:uid")).isEqualTo(1000);
    }
}
