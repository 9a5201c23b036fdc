package mayfly.linux.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnnamedFileTest {
    @TempDir
    private Path folder;

    private UnnamedFile file() throws IOException {
        try {
            return UnnamedFile.in(folder);
        } catch (ErrnoException e) {
            assumeTrue(false, "the file system of " + folder + " has no nameless files: " + e.errnoName());
            throw e;
        }
    }

    @Test
    void unnamedFileAppearsWhenItIsLinked() throws Exception {
        Path name = folder.resolve("a name");
        try (UnnamedFile file = file()) {
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
        try (UnnamedFile file = file()) {
            assertThatThrownBy(() -> file.link(taken)).isInstanceOf(FileAlreadyExistsException.class);
        }
        assertThat(taken).hasContent("mine");
        assertThat(folder.toFile().list()).containsExactly("taken");
    }

    @Test
    void unsupportedFolderForUnnamedFilesIsReported() {
        assertThatThrownBy(() -> UnnamedFile.in(Path.of("/proc"))).isInstanceOf(ErrnoException.class);
        assertThatThrownBy(() -> UnnamedFile.in(folder.resolve("none"))).isInstanceOf(ErrnoException.class)
                .hasMessageContaining("ENOENT");
    }
}
