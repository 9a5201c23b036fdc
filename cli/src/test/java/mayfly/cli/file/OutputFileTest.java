package mayfly.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import mayfly.cli.Captured;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFileTest {
    @TempDir
    Path dir;

    private static OutputFile.Contents text(String text) {
        return out -> out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void namedOutputReplacesAnExistingFile() throws Exception {
        Path wanted = Files.writeString(dir.resolve("x.html"), "old");
        try (var file = OutputFile.named(wanted)) {
            assertThat(file.write(text("new"))).isEqualTo(wanted);
        }
        assertThat(wanted).hasContent("new");
        assertThat(dir.toFile().list()).containsExactly("x.html");
    }

    @Test
    void defaultNameGetsASuffixIfTheFileExists() throws Exception {
        Path taken = Files.writeString(dir.resolve("f-1.html"), "mine");
        try (var file = OutputFile.withGeneratedName(taken.toString())) {
            assertThat(file.write(text("new"))).isEqualTo(dir.resolve("f-1-2.html"));
        }
        assertThat(taken).hasContent("mine");
        assertThat(dir.resolve("f-1-2.html")).hasContent("new");
        assertThat(dir.toFile().list()).hasSize(2);
    }

    @Test
    void failedWriteKeepsTheOldFileAndLeavesNoOther() throws Exception {
        Path wanted = Files.writeString(dir.resolve("x.html"), "old");
        try (var file = OutputFile.named(wanted)) {
            Files.writeString(file.part("capture"), "samples");
            assertThatThrownBy(() -> file.write(out -> {
                        out.write(1);
                        throw new IOException("No space left on device");
                    }))
                    .isInstanceOf(CommandFailed.class)
                    .hasMessageContaining("No space left on device");
        }
        assertThat(wanted).hasContent("old");
        assertThat(dir.toFile().list()).containsExactly("x.html");
    }

    @Test
    void outputAppearsOnlyWhenItIsComplete() throws Exception {
        try (var file = OutputFile.named(dir.resolve("x.html"));
                var probe = file.nameless()) {
            assumeTrue(probe != null, "the file system has no nameless files");
            file.write(out -> {
                out.write(new byte[20 << 20]);
                assertThat(dir).isEmptyDirectory();
            });
        }
        assertThat(dir.resolve("x.html")).hasSize(20 << 20);
    }

    @Test
    void withoutOtmpfileOutputAppearsAfter16MiB() throws Exception {
        Path late = dir.resolve("late");
        try (var out = new LateFile(late)) {
            out.write(new byte[16 << 20]);
            assertThat(dir).isEmptyDirectory();
            out.write(1);
            assertThat(late).exists();
        }
        assertThat(late).hasSize((16 << 20) + 1);
    }

    @Test
    void fullDiskIsReported() throws Exception {
        try (var file = OutputFile.named(Path.of("/dev/full"))) {
            assertThatThrownBy(() -> file.write(text("x")))
                    .hasMessageContaining("/dev/full")
                    .hasMessageContaining("No space left on device");
        }
    }

    @Test
    void deviceIsWrittenInPlace() throws Exception {
        try (var file = OutputFile.named(Path.of("/dev/null"))) {
            file.write(text("x"));
        }
        assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
    }

    private static void awaitEnd(Process process) throws IOException {
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    @Tag("slow")
    void brokenPipeIsASilentFailure() throws Exception {
        Path pipe = dir.resolve("pipe");
        assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0, "no mkfifo");
        Process head = new ProcessBuilder("head", "-c", "1", pipe.toString()).start();
        try (var file = OutputFile.named(pipe)) {
            assertThatThrownBy(() -> file.write(out -> {
                        out.write(1);
                        awaitEnd(head);
                        out.write(2);
                    }))
                    .isInstanceOfSatisfying(CommandFailed.class, failed -> {
                        assertThat(failed.exitCode()).isEqualTo(ExitCode.READER_GONE.code());
                        var captured = new Captured();
                        assertThat(failed.printTo(captured.terminal().err())).isEqualTo(141);
                        assertThat(captured.err()).isEmpty();
                        failed.advising("the recording is kept: x.mayfly")
                                .printTo(captured.terminal().err());
                        assertThat(captured.err())
                                .contains("its reader has closed it [output]", "the recording is kept");
                    });
        } finally {
            head.destroyForcibly();
        }
    }

    @Test
    void pathIsNormalizedUnlessASymlinkChangesItsMeaning() throws Exception {
        Path folder = Files.createDirectory(dir.resolve("a"));
        try (var file = OutputFile.named(folder.resolve("./../a/./x.html"))) {
            assertThat(file.write(text("x")))
                    .hasToString(folder.resolve("x.html").toString());
        }
        Path elsewhere = Files.createDirectories(dir.resolve("b/c"));
        Path link = Files.createSymbolicLink(dir.resolve("link"), elsewhere);
        Path through = link.resolve("../y.html");
        try (var file = OutputFile.named(through)) {
            assertThat(file.write(text("y"))).hasToString(through.toString());
        }
        assertThat(dir.resolve("b/y.html")).hasContent("y");
    }

    @Test
    void outputThroughASymlinkReplacesItsTarget() throws Exception {
        Path target = Files.writeString(dir.resolve("real.html"), "old");
        Path link = Files.createSymbolicLink(dir.resolve("link.html"), target);
        try (var file = OutputFile.named(link)) {
            file.write(text("new"));
        }
        assertThat(link).isSymbolicLink().hasContent("new");
        assertThat(target).hasContent("new");
    }

    @Test
    @Tag("privileged")
    void fileOfAnotherUserInAStickyFolderIsNotWritten() throws Exception {
        Path folder = Files.createDirectory(dir.resolve("everybody's"));
        assumeTrue(
                new ProcessBuilder("chmod", "1777", folder.toString()).start().waitFor() == 0, "no chmod");
        for (String planted : new String[] {"pipe", "link", "file"}) {
            Path path = folder.resolve(planted);
            Path elsewhere = Files.writeString(dir.resolve("of root"), "before");
            switch (planted) {
                case "pipe" ->
                    assumeTrue(
                            new ProcessBuilder("mkfifo", path.toString())
                                            .start()
                                            .waitFor()
                                    == 0,
                            "no mkfifo");
                case "link" -> Files.createSymbolicLink(path, elsewhere);
                default -> Files.createFile(path);
            }
            assumeTrue(
                    new ProcessBuilder("chown", "-h", "65534", path.toString())
                                    .start()
                                    .waitFor()
                            == 0,
                    "needs root");
            assertThatThrownBy(() -> {
                        try (var file = OutputFile.named(path)) {
                            file.write(text("profile"));
                        }
                    })
                    .as(planted)
                    .isInstanceOf(CommandFailed.class)
                    .hasMessageContaining("another user, with the user id 65534");
            assertThat(elsewhere).hasContent("before");
        }
        Path below = Files.createSymbolicLink(folder.resolve("directory"), dir);
        assumeTrue(
                new ProcessBuilder("chown", "-h", "65534", below.toString())
                                .start()
                                .waitFor()
                        == 0,
                "needs root");
        assertThatThrownBy(() -> OutputFile.named(below.resolve("x.html")))
                .isInstanceOf(CommandFailed.class)
                .hasMessageContaining("the link " + below + " belongs to another user, with the user id 65534");
        assertThat(OutputFile.named(below.resolve("x.html"), new Owner(65534, true)))
                .isNotNull();
        try (var file = OutputFile.named(folder.resolve("mine"))) {
            file.write(text("profile"));
        }
        assertThat(folder.resolve("mine")).hasContent("profile");
        try (var file = OutputFile.named(folder.resolve("file"), new Owner(65534, true))) {
            file.write(text("profile of sudo's user"));
        }
        assertThat(folder.resolve("file")).hasContent("profile of sudo's user");
    }

    @Test
    void directoryAsOutputIsRefused() {
        assertThatThrownBy(() -> OutputFile.named(dir)).hasMessageContaining("it is a directory");
    }

    @Test
    void aKeptCaptureGetsAFreeNameBesideTheOutputOnce() throws Exception {
        Path taken = Files.writeString(dir.resolve("x.mayfly"), "mine");
        try (var file = OutputFile.named(dir.resolve("x.html"));
                var capture = CaptureFile.beside(file, false)) {
            Files.writeString(capture.path(), "samples");
            assertThat(capture.keep("x.mayfly"))
                    .isEqualTo(dir.resolve("x-2.mayfly"))
                    .isEqualTo(capture.keep("x.mayfly"));
        }
        assertThat(taken).hasContent("mine");
        assertThat(dir.resolve("x-2.mayfly")).hasContent("samples");
        assertThat(dir.toFile().list()).containsExactlyInAnyOrder("x.mayfly", "x-2.mayfly");
    }

    @Test
    void keptCaptureThatIsTheOutputGetsTheOutputName() throws Exception {
        try (var file = OutputFile.named(dir.resolve("x.mayfly"));
                var capture = CaptureFile.beside(file, true)) {
            Files.writeString(capture.path(), "samples");
            assertThat(capture.keep("x.mayfly")).isEqualTo(dir.resolve("x.mayfly"));
        }
        assertThat(dir.toFile().list()).containsExactly("x.mayfly");
    }

    @Test
    void captureWhoseFolderIsGoneIsKeptInTheTemporaryFolder() throws Exception {
        Path folder = Files.createDirectory(dir.resolve("gone"));
        try (var file = OutputFile.named(folder.resolve("x.html"));
                var capture = CaptureFile.beside(file, false)) {
            assumeTrue(!capture.path().startsWith(folder), "the file system has no nameless files");
            Files.writeString(capture.path(), "samples");
            Files.delete(folder);
            Path kept = capture.keep("mayfly-test-gone.mayfly");
            assertThat(kept).hasContent("samples").hasParentRaw(Path.of(System.getProperty("java.io.tmpdir")));
            assertOwnersAlone(kept);
            Files.delete(kept);
        }
    }

    @Test
    void captureOfAStreamIsInMemoryIfTheTemporaryFolderCannotBeWritten() throws Exception {
        String before = System.setProperty("java.io.tmpdir", dir.resolve("none").toString());
        try (var file = OutputFile.named(Path.of("/dev/null"));
                var capture = CaptureFile.beside(file, false)) {
            assertThat(capture.isInMemory()).isTrue();
            Files.writeString(capture.path(), "samples");
            assertThat(capture.path()).hasContent("samples");
            assertThatThrownBy(() -> capture.keep("x.mayfly")).hasMessageContaining("there is no directory");
        } finally {
            System.setProperty("java.io.tmpdir", before);
        }
    }

    @Test
    void captureInMemoryIsFullAtItsLimitAndAFileNeverIs() throws Exception {
        try (var stream = OutputFile.named(Path.of("/dev/null"));
                var capture = CaptureFile.inMemory(stream, 10);
                var file = OutputFile.named(dir.resolve("x.html"));
                var unlimited = CaptureFile.beside(file, false)) {
            Files.writeString(capture.path(), "nine bytes".substring(1));
            assertThat(capture.isFull()).isFalse();
            Files.writeString(capture.path(), "ten bytes.");
            assertThat(capture.isFull()).isTrue();
            Files.writeString(unlimited.path(), "ten bytes.");
            assertThat(unlimited.isFull()).isFalse();
        }
    }

    @Test
    void captureOfAFileIsNeverInMemory() throws Exception {
        try (var file = OutputFile.named(dir.resolve("none/x.html"))) {
            assertThatThrownBy(() -> CaptureFile.beside(file, false)).hasMessageContaining("there is no directory");
        }
    }

    @Test
    void copiedCaptureIsReadableByTheOwnerOnly() throws Exception {
        Path recorded = Files.writeString(dir.resolve("recorded"), "samples");
        try (var file = OutputFile.named(dir.resolve("kept.mayfly"))) {
            assertOwnersAlone(file.writeForOwner(out -> Files.copy(recorded, out)));
        }
        assertThat(dir.resolve("kept.mayfly")).hasContent("samples");
    }

    @Test
    void captureThatReplacesAPublicFileIsReadableByTheOwnerOnly() throws Exception {
        Path there = Files.writeString(dir.resolve("x.mayfly"), "old");
        Files.setPosixFilePermissions(there, PosixFilePermissions.fromString("rw-r--r--"));
        try (var file = OutputFile.named(there)) {
            assertOwnersAlone(file.writeForOwner(text("new")));
        }
        assertThat(there).hasContent("new");
    }

    @Test
    void captureIsWrittenToItsOwnFileIfItsNameWasReplaced() throws Exception {
        Path others = Files.createFile(dir.resolve("others"));
        Files.setPosixFilePermissions(others, PosixFilePermissions.fromString("rw-r--r--"));
        try (var file = OutputFile.named(dir.resolve("x.mayfly"));
                var capture = CaptureFile.beside(file, true)) {
            Path part = dir.resolve(onlyPart());
            Files.delete(part);
            Files.createSymbolicLink(part, others);
            Files.writeString(capture.path(), "samples");
            assertThat(capture.path()).hasContent("samples");
        }
        assertThat(others).isEmptyFile();
        assertThat(Files.getPosixFilePermissions(others)).contains(PosixFilePermission.OTHERS_READ);
        assertThat(dir.toFile().list()).containsExactly("others");
    }

    private String onlyPart() {
        String[] parts = dir.toFile().list((_, name) -> name.endsWith(".part"));
        assertThat(parts).hasSize(1);
        return parts[0];
    }

    @Test
    void outputOfRootBelongsToTheSudoUserAndIsPrivate() {
        assertThat(Owner.of(0, Map.of())).isEqualTo(new Owner(0, true));
        assertThat(Owner.of(0, Map.of("SUDO_UID", "1000"))).isEqualTo(new Owner(1000, true));
        assertThat(Owner.of(0, Map.of("SUDO_UID", "root"))).isEqualTo(new Owner(0, true));
        assertThat(Owner.of(0, Map.of("SUDO_UID", "-1"))).isEqualTo(new Owner(0, true));
        assertThat(Owner.of(1000, Map.of("SUDO_UID", "1001"))).isEqualTo(new Owner(1000, false));
    }

    @Test
    void writtenFileBelongsToItsOwner() throws Exception {
        int user = (int) Files.getAttribute(dir, "unix:uid");
        try (var file = OutputFile.named(dir.resolve("x.html"), new Owner(user, true))) {
            assertOwnersAlone(file.write(text("command lines")));
        }
        try (var file = OutputFile.named(dir.resolve("y.html"), new Owner(user, false))) {
            assertThat(Files.getPosixFilePermissions(file.write(text("command lines"))))
                    .isEqualTo(Files.getPosixFilePermissions(Files.createFile(dir.resolve("usual"))));
        }
    }

    @Test
    @Tag("privileged")
    void writtenFileOfRootBelongsToTheUserOfSudo() throws Exception {
        assumeTrue(Files.getAttribute(dir, "unix:uid").equals(0), "needs root");
        Path replaced = Files.createFile(dir.resolve("x.html"));
        try (var file = OutputFile.named(replaced, new Owner(1000, true))) {
            assertOwnersAlone(file.write(text("command lines")));
        }
        assertThat(Files.getAttribute(replaced, "unix:uid")).isEqualTo(1000);
        try (var file = OutputFile.named(dir.resolve("x.txt"))) {
            assertOwnersAlone(file.write(text("command lines")));
        }
        try (var file = OutputFile.named(dir.resolve("x.mayfly"), new Owner(1000, true));
                var capture = CaptureFile.beside(file, true)) {
            Files.writeString(capture.path(), "samples");
            assertThat(Files.getAttribute(capture.commit(), "unix:uid")).isEqualTo(1000);
        }
    }

    private static void assertOwnersAlone(Path file) throws Exception {
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
}
