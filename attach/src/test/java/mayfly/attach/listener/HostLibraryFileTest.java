package mayfly.attach.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostLibraryFileTest {
    private static final byte[] LIBRARY = {1, 2, 3};

    @TempDir
    private Path root;

    private ScriptedJvm jvm;

    @BeforeEach
    void open() throws Exception {
        jvm = new ScriptedJvm(root);
    }

    @AfterEach
    void close() {
        jvm.close();
    }

    private HostLibraryFile create() throws IOException, AttachFailed {
        return HostLibraryFile.of(LIBRARY, jvm, Deadline.in(Duration.ofSeconds(30)));
    }

    private static List<Path> in(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.toList();
        }
    }

    @Test
    void libraryIsInADirectoryOfItsOwnWithANameThatIsRecognized() throws Exception {
        try (HostLibraryFile library = create()) {
            assertThat(library.path()).matches("/tmp/\\.mayfly-00000007[0-9a-f]{8}/\\.mayfly-[0-9a-f]{32}\\.so");
            assertThat(HostLibraryFile.isMappedAs(library.path())).isTrue();
            assertThat(jvm.path(library.path())).hasBinaryContent(LIBRARY);
            Path own = jvm.path(library.path()).getParent();
            assertThat(Files.getPosixFilePermissions(own))
                    .hasSize(3)
                    .allMatch(each -> each.name().startsWith("OWNER"));
            assertThat(Files.getPosixFilePermissions(jvm.path(library.path())))
                    .hasSize(2)
                    .allMatch(each -> each.name().startsWith("OWNER"));
        }
    }

    @Test
    void libraryIsNotPutWhereItCannotBeLoadedFrom() throws Exception {
        jvm.mounts = List.of("a / ext4 rw 0 0", "b /tmp tmpfs rw,noexec 0 0");
        try (HostLibraryFile library = create()) {
            assertThat(library.path()).startsWith("/var/tmp/");
            assertThat(in(jvm.path("/tmp"))).isEmpty();
        }
    }

    @Test
    void targetWithoutASuitableDirectoryIsRefusedWithTheReasons() {
        jvm.mounts = List.of("a /tmp tmpfs rw,noexec 0 0", "b /var/tmp ext4 noexec 0 0");
        AttachFailed refused = catchThrowableOfType(AttachFailed.class, this::create);
        assertThat(refused.status()).isEqualTo(Status.ATTACH_REFUSED);
        assertThat(refused).hasMessageContainingAll("/tmp: noexec; /var/tmp: noexec; /dev/shm: ", "; /var/lib: ");
        assertThat(jvm.events)
                .as("nothing remains to be removed")
                .containsExactly("made", "gone", "closed", "made", "gone", "closed", "made", "gone", "closed");
    }

    @Test
    void libraryThatWasNotRequestedIsRemoved() throws Exception {
        create().close();
        assertThat(in(jvm.path("/tmp"))).isEmpty();
        assertThat(jvm.events).containsExactly("made", "gone", "closed");
    }

    @Test
    void loadedLibraryIsRemovedWithTheSocketOfItsHost() throws Exception {
        HostLibraryFile library = create();
        library.loading();
        library.loaded();
        Files.createFile(jvm.path(library.path().substring(0, library.path().length() - ".so".length())));
        library.close();
        assertThat(in(jvm.path("/tmp"))).isEmpty();
        assertThat(jvm.events).containsExactly("made", "loading", "gone", "closed");
    }

    @Test
    void libraryStaysForTheCleanupProcessIfTheJvmHasNotAnswered() throws Exception {
        HostLibraryFile library = create();
        library.loading();
        library.close();
        assertThat(jvm.path(library.path())).hasBinaryContent(LIBRARY);
        assertThat(jvm.events).containsExactly("made", "loading", "closed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/memfd:mayfly-library (deleted)",
                "/var/tmp/.mayfly-0123456789abcdef/.mayfly-0123456789abcdef0123456789abcdef.so",
                "/tmp/.mayfly-0123456789abcdef/.mayfly-0123456789abcdef0123456789abcdef.so (deleted)"
            })
    void pathOfAHostIsRecognized(String path) {
        assertThat(HostLibraryFile.isMappedAs(path)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/opt/mayfly-library",
                "/tmp/libmayflylaunch.so",
                "/tmp/.mayfly-0123456789abcdef/x.so",
                "/tmp/../.mayfly-0123456789abcdef/.mayfly-0123456789abcdef0123456789abcdef.so",
                "/tmp/.mayfly-0123456789abcdef/.mayfly-0123456789abcdef0123456789abcdef.so.1"
            })
    void otherPathIsNotThatOfAHost(String path) {
        assertThat(HostLibraryFile.isMappedAs(path)).isFalse();
    }
}
