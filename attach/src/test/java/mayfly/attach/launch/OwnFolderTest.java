package mayfly.attach.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnFolderTest {
    private static final String ADVICE = "choose another";

    @TempDir
    Path dir;

    private static String permissions(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void folderIsForTheOwnerOrForAll() throws Exception {
        OwnFolder.make(dir.resolve("a/b"), ADVICE);
        assertThat(permissions(dir.resolve("a/b"))).isEqualTo("rwx------");
        OwnFolder.makeForAll(dir.resolve("c/d"), ADVICE);
        assertThat(permissions(dir.resolve("c/d"))).startsWith("rwx").isNotEqualTo("rwx------");
    }

    /** A primary group such as users(100) has other members. */
    @Test
    void folderOfAGroupIsOnlyTheUsersIfBothHaveTheSameNumber() throws Exception {
        Path shared = Files.createDirectory(dir.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxr-x"));
        Object group = Files.getAttribute(shared, "unix:gid");
        assertThat(OwnFolder.mayBeChangedByOthers(shared, group)).isFalse();
        assertThat(OwnFolder.mayBeChangedByOthers(shared, (int) group + 1)).isTrue();
    }

    @Test
    void folderThatOthersMayWriteToIsRefusedWithTheAdvice() throws Exception {
        Path open = Files.createDirectory(dir.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> OwnFolder.makeForAll(open.resolve("mine"), ADVICE))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining(open + " may be written to by other users: chmod go-w, or " + ADVICE);
    }
}
