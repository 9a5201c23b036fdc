package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import mayfly.kit.Command;
import mayfly.kit.Project;

/**
 * The archive of this checkout, unpacked. It is made once in a run of the tests, because that takes half a minute of
 * two processors, and the JVMs of the run share it.
 *
 * @param file the archive
 * @param home the folder with its contents, in a folder with a blank in its name. Tests do not change it
 */
record Archive(Path file, Path home) {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String VERSION = "1.2.3";
    private static final Path FOLDER = Project.root().resolve("testing/e2e/target/archive");
    private static final Path LOCK = Project.root().resolve("testing/e2e/target/archive.lock");
    private static final String RUN = System.getProperty(
            "mayfly.run", "process " + ProcessHandle.current().pid());

    /** Returns the archive of this run. */
    static Archive ofThisRun() throws IOException {
        try (FileChannel channel = FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            assertThat(lock.isValid()).isTrue();
            Path made = FOLDER.resolve("run");
            if (!Files.exists(made) || !Files.readString(made).equals(RUN)) {
                run("rm", "-rf", FOLDER.toString());
                Path unpacked = Files.createDirectories(FOLDER.resolve("a folder"));
                run("tar", "-xzf", make(FOLDER.resolve("made"), Map.of()).toString(), "-C", unpacked.toString());
                run("rm", "-rf", FOLDER.resolve("made/dist/mayfly-" + VERSION).toString());
                Files.writeString(made, RUN);
            }
            return new Archive(made(FOLDER.resolve("made")), FOLDER.resolve("a folder/mayfly-" + VERSION));
        }
    }

    /** Runs the build's own script on the jars of this checkout, and returns the archive that it makes in a folder. */
    static Path make(Path target, Map<String, String> environment) throws IOException {
        Files.createSymbolicLink(
                Files.createDirectories(target).resolve("app"), Project.root().resolve("cli/target/app"));
        Path script = Project.root().resolve("cli/src/main/sh/dist.sh");
        Command done =
                Command.run(LIMIT, List.of("sh", script.toString(), target.toString(), VERSION), target, environment);
        assertThat(done.exitCode()).as(done::evidence).isZero();
        assertThat(made(target)).isRegularFile();
        return made(target);
    }

    private static Path made(Path target) {
        return target.resolve("dist/mayfly-" + VERSION + "-linux-x86_64.tar.gz");
    }

    private static void run(String... command) {
        Command done = Command.run(LIMIT, command);
        assertThat(done.exitCode()).as(done::evidence).isZero();
    }

    /** Returns the command by which the archive's own dynamic loader starts its Java runtime. */
    static List<String> java(String home) {
        String glibc = home + "/runtime/glibc";
        return List.of(
                glibc + "/ld-linux-x86-64.so.2",
                "--inhibit-cache",
                "--library-path",
                glibc,
                home + "/runtime/bin/java");
    }
}
