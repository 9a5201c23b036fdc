package mayfly.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher and the gate of an archive. A script in place of the dynamic loader prints how it is called. */
@Tag("slow")
class ArchiveProgramsTest {
    private static final Path SCRIPTS = Path.of("src/main/sh").toAbsolutePath();
    private static final int NOBODY = 65534;
    private static final int SKIPPED = 77;

    private record Ran(int status, String out, String err) {}

    @TempDir
    static Path programs;

    @TempDir
    Path dir;

    private Path home = Path.of("");

    @BeforeAll
    static void compileThePrograms() throws Exception {
        assumeTrue(Stream.of("/bin", "/usr/bin").anyMatch(bin -> Files.isExecutable(Path.of(bin, "gcc"))), "no gcc");
        compile(programs);
    }

    private static void compile(Path folder) throws Exception {
        Process built = new ProcessBuilder("sh", SCRIPTS.resolve("programs.sh").toString(), folder.toString())
                .inheritIO()
                .start();
        assertThat(built.waitFor()).isZero();
    }

    @BeforeEach
    void makeTheArchive() throws IOException {
        home = archive(dir.resolve("an archive"));
    }

    private static Path archive(Path folder) throws IOException {
        Files.createDirectories(folder.resolve("app"));
        Files.createDirectories(folder.resolve("runtime/glibc"));
        Files.copy(programs.resolve("mayfly"), folder.resolve("mayfly"));
        Files.writeString(folder.resolve("app/classpath"), "one.jar\ntwo.jar\n");
        Files.copy(Path.of("src/main/jvm-options"), folder.resolve("app/jvm-options"));
        script(folder.resolve("runtime/glibc/ld-linux-x86-64.so.2"), "printf '%s\\n' \"$@\"; env");
        return folder;
    }

    private static void script(Path file, String text) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Ran run(List<String> command) throws Exception {
        return run(new ProcessBuilder(command).directory(dir.toFile()));
    }

    private Ran run(ProcessBuilder builder) throws Exception {
        Path err = dir.resolve("err");
        Process process = builder.redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                .redirectError(err.toFile())
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ran(process.waitFor(), out, Files.readString(err));
    }

    private Ran mayfly(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(home.resolve("mayfly").toString()));
        command.addAll(List.of(arguments));
        return run(command);
    }

    @Test
    void loaderStartsJavaWithTheGivenArguments() throws Exception {
        Ran ran = mayfly("record", "a b", "--", "*", "");
        assertThat(ran.err()).isEmpty();
        assertThat(ran.status()).isZero();
        assertThat(ran.out().lines())
                .containsSubsequence(
                        "--inhibit-cache",
                        "--library-path",
                        home + "/runtime/glibc",
                        home + "/runtime/bin/java",
                        "-XX:+UseSerialGC",
                        "-Dmayfly.archive=" + home,
                        "-cp",
                        home + "/app/one.jar:" + home + "/app/two.jar",
                        "mayfly.cli.Main",
                        "record",
                        "a b",
                        "--",
                        "*",
                        "");
    }

    @Test
    void archiveStartsTheJvmWithTheOptionsOfACheckout() throws Exception {
        assertThat(mayfly("ps").out().lines()).containsSequence(Files.readAllLines(Path.of("src/main/jvm-options")));
    }

    @Test
    void aotCacheIsPassedIfItExists() throws Exception {
        assertThat(mayfly("ps").out()).doesNotContain("AOTCache");
        Files.createFile(home.resolve("app/mayfly.aot"));
        assertThat(mayfly("ps").out().lines()).contains("-XX:AOTCache=" + home + "/app/mayfly.aot");
    }

    @Test
    void launcherStartedThroughASymlinkFindsItsArchive() throws Exception {
        Path link = Files.createSymbolicLink(dir.resolve("mf"), Path.of("an archive/mayfly"));
        assertThat(run(List.of(link.toString())).out().lines()).contains("-Dmayfly.archive=" + home);
        var onThePath = new ProcessBuilder("sh", "-c", "PATH=$1; mf ps", "sh", dir.toString());
        assertThat(run(onThePath).out().lines()).contains("-Dmayfly.archive=" + home);
    }

    @Test
    void variablesOfTheUsersProgramsAreHiddenFromTheJvm() throws Exception {
        var builder = new ProcessBuilder(home.resolve("mayfly").toString(), "ps").directory(dir.toFile());
        builder.environment().put("JAVA_TOOL_OPTIONS", "-Dx='a b'");
        builder.environment().put("LD_LIBRARY_PATH", "/nowhere");
        builder.environment().put("MAYFLY_KEPT_JDK_JAVA_OPTIONS", "-Dold");
        assertThat(run(builder).out().lines())
                .contains("MAYFLY_KEPT_JAVA_TOOL_OPTIONS=-Dx='a b'", "MAYFLY_KEPT_LD_LIBRARY_PATH=/nowhere")
                .noneMatch(line -> line.startsWith("JAVA_TOOL_OPTIONS=")
                        || line.startsWith("LD_LIBRARY_PATH=")
                        || line.contains("-Dold"));
    }

    @Test
    void launcherPassesTheWidthOfTheTerminal() throws Exception {
        for (String program : List.of("script", "stty")) {
            assumeTrue(
                    Stream.of("/bin", "/usr/bin").anyMatch(bin -> Files.isExecutable(Path.of(bin, program))),
                    "no " + program);
        }
        // script(1) runs the line in a pseudo-terminal.
        var builder = new ProcessBuilder(
                "script", "-qec", "stty cols 53; exec '" + home.resolve("mayfly") + "' ps", "/dev/null");
        builder.environment().put("SHELL", "/bin/sh");
        assertThat(run(builder).out().lines())
                .contains("-Dmayfly.stdout.tty=true", "-Dmayfly.columns=53", "-Dmayfly.stderr.tty=true");
        assertThat(mayfly("ps").out().lines())
                .contains("-Dmayfly.stdout.tty=false", "-Dmayfly.columns=100", "-Dmayfly.stderr.tty=false");
    }

    @Test
    void folderWhosePathDividesAClassPathIsRefused() throws Exception {
        for (String name : List.of("a:b", "a;b", "$LIB")) {
            home = archive(dir.resolve(name));
            Ran ran = mayfly("ps");
            assertThat(ran.status()).isEqualTo(1);
            assertThat(ran.err()).contains(home.toString(), "[bad-folder]").hasLineCount(1);
            assertThat(ran.out()).isEmpty();
        }
    }

    @Test
    void removedCurrentFolderIsRefused() throws Exception {
        Ran ran = run(List.of(
                "sh",
                "-c",
                "mkdir gone && cd gone && rmdir ../gone && exec \"$1\" ps",
                "sh",
                home.resolve("mayfly").toString()));
        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.err()).contains("[no-folder]").hasLineCount(1);
    }

    @Test
    void incompleteArchiveIsRefusedInOneLine() throws Exception {
        Files.delete(home.resolve("runtime/glibc/ld-linux-x86-64.so.2"));
        Ran withoutLoader = mayfly("ps");
        assertThat(withoutLoader.status()).isEqualTo(1);
        assertThat(withoutLoader.err())
                .contains("ld-linux-x86-64.so.2: no such file [no-start]")
                .hasLineCount(1);
        Files.delete(home.resolve("app/classpath"));
        assertThat(mayfly("ps").err())
                .contains("is incomplete: unpack the archive again [no-start]")
                .hasLineCount(1);
    }

    @Test
    @Tag("privileged")
    void rootIsWarnedOfAnArchiveOfAnotherUser() throws Exception {
        assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(dir, "unix:uid")), "needs root");
        assertThat(mayfly("ps").err()).isEmpty();
        Files.setAttribute(home.resolve("mayfly"), "unix:uid", NOBODY);
        Ran ran = mayfly("ps");
        assertThat(ran.err()).contains(home + " belongs to user id " + NOBODY, "[other-owner]");
        assertThat(ran.status()).isZero();
        var underSudo = new ProcessBuilder(home.resolve("mayfly").toString());
        underSudo.environment().put("SUDO_UID", Integer.toString(NOBODY));
        assertThat(run(underSudo).err()).isEmpty();
    }

    /** Starts the gate with a command, writes to its pipe, and closes the pipe. */
    private Ran gate(String line, String... command) throws Exception {
        Path pipe = dir.resolve("pipe");
        if (!Files.exists(pipe)) {
            assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                    .isZero();
        }
        Thread writer = Thread.ofPlatform().start(() -> {
            try (OutputStream out = Files.newOutputStream(pipe)) {
                out.write(line.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        List<String> words = new ArrayList<>(List.of(programs.resolve("gate").toString(), pipe.toString()));
        words.addAll(List.of(command));
        Ran ran = run(words);
        writer.join();
        return ran;
    }

    @Test
    void gateBecomesTheCommandWhenALineArrives() throws Exception {
        assertThat(gate("\n", "sh", "-c", "echo \"$0 $1\"; exit 7", "a b", "*")).isEqualTo(new Ran(7, "a b *\n", ""));
        script(dir.resolve("relative"), "echo \"$0\"");
        assertThat(gate("go\n", "./relative").out()).isEqualTo("./relative\n");
    }

    @Test
    void gateWhosePipeEndsDoesNotStartTheCommand() throws Exception {
        assertThat(gate("", "echo", "started")).isEqualTo(new Ran(125, "", ""));
        assertThat(gate("x", "echo", "started").status()).isEqualTo(125);
        assertThat(run(List.of(programs.resolve("gate").toString(), "/nowhere", "echo"))
                        .status())
                .isEqualTo(125);
        assertThat(run(List.of(programs.resolve("gate").toString())).status()).isEqualTo(125);
    }

    @Test
    void gateReportsACommandThatCannotBeExecutedAsAShellDoes() throws Exception {
        Ran missing = gate("\n", "no-such-program");
        assertThat(missing.status()).isEqualTo(127);
        assertThat(missing.err()).contains("cannot start no-such-program: no such file [program-not-started]");
        Path file = Files.createFile(dir.resolve("file"));
        assertThat(gate("\n", file.toString()).status()).isEqualTo(126);
    }

    @Test
    void gateRunsAScriptWithoutAnInterpreterInTheShell() throws Exception {
        Path script = dir.resolve("plain");
        Files.writeString(script, "echo \"plain $1\"\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(gate("\n", script.toString(), "x").out()).isEqualTo("plain x\n");
    }

    @Test
    void programsAreStaticAndTwoBuildsWriteTheSameBytes() throws Exception {
        Path second = Files.createDirectory(dir.resolve("second"));
        compile(second);
        for (String name : List.of("mayfly", "gate")) {
            assertThat(second.resolve(name)).hasSameBinaryContentAs(programs.resolve(name));
            assertThat(Files.size(second.resolve(name))).isLessThan(16 << 10);
        }
    }

    @Test
    void testInCPassesUnderTheSanitizers() throws Exception {
        Path script = Path.of("src/test/sh/sanitized.sh").toAbsolutePath();
        Ran ran = run(List.of("sh", script.toString(), dir.toString()));
        assumeTrue(ran.status() != SKIPPED, ran.out().strip());
        assertThat(ran.status()).as(ran.err()).isZero();
        assertThat(ran.out()).contains("theLoaderStartsJavaWithTheOptionsAndTheClassPath");
    }
}
