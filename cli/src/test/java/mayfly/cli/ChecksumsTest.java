package mayfly.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code .ci/checksums} over a repository of two files. */
@Tag("slow")
class ChecksumsTest {
    private static final Path CHECKOUT = Path.of("").toAbsolutePath().getParent();

    @TempDir
    private Path dir;

    private Path repository = Path.of("");

    private record Ran(int status, String words) {}

    @BeforeEach
    void record() throws Exception {
        Files.copy(CHECKOUT.resolve(".ci/checksums"), dir.resolve("checksums"));
        repository = Files.createDirectories(dir.resolve("repository/a/b"))
                .resolve("../..")
                .normalize();
        Files.writeString(repository.resolve("a/b/x.jar"), "code");
        Files.writeString(repository.resolve("a/b/x.pom"), "model");
        assertThat(run("--record", repository.toString()).status()).isZero();
        assertThat(Files.readAllLines(dir.resolve("checksums.sha256")))
                .hasSize(2)
                .allMatch(line -> line.matches("[0-9a-f]{64}  a/b/x\\..*"));
    }

    private Ran run(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("sh", dir.resolve("checksums").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("MAVEN_REPOSITORY", repository.toString());
        Process process = builder.start();
        String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ran(process.waitFor(), words);
    }

    @Test
    void unchangedFilesPassTheChecksums() throws Exception {
        assertThat(run()).isEqualTo(new Ran(0, ""));
        assertThat(run("a/b/x.jar").status()).isZero();
        assertThat(run("--complete", repository.toString()).status()).isZero();
    }

    @Test
    void changedFileIsNamedAndFails() throws Exception {
        Files.writeString(repository.resolve("a/b/x.jar"), "other code");
        assertThat(run())
                .satisfies(ran -> assertThat(ran.status()).isOne())
                .satisfies(ran -> assertThat(ran.words()).contains("a/b/x.jar", "not the one that was recorded"));
        assertThat(run("a/b/x.jar").status()).isOne();
        assertThat(run("a/b/x.pom").status()).isZero();
    }

    @Test
    void unrecordedFileFailsOnlyIfItIsRequested() throws Exception {
        Files.writeString(repository.resolve("a/b/y.jar"), "more code");
        assertThat(run())
                .satisfies(ran -> assertThat(ran.status()).isZero())
                .satisfies(ran -> assertThat(ran.words()).contains("1 files in " + repository + " are not recorded"));
        assertThat(run("a/b/y.jar").words()).contains("a/b/y.jar is not recorded");
        assertThat(run("--complete", repository.toString()).status()).isOne();
    }

    @Test
    void missingFileFailsOnlyIfItIsRequested() throws Exception {
        Files.delete(repository.resolve("a/b/x.pom"));
        assertThat(run().status()).isZero();
        assertThat(run("a/b/x.pom").status()).isOne();
    }

    /** {@code testing/get-speedscope} with an npm that delivers another file. */
    @Test
    void speedscopePackageOfAnotherHashIsNotUnpacked() throws Exception {
        Path script = Files.copy(CHECKOUT.resolve("testing/get-speedscope"), dir.resolve("get-speedscope"));
        Path npm = Files.writeString(
                Files.createDirectory(dir.resolve("bin")).resolve("npm"),
                "#!/bin/sh\nmkdir -p package/dist/release && echo '{}' > package/dist/release/file-format-schema.json\n"
                        + "tar czf speedscope-1.25.0.tgz package\n");
        Files.setPosixFilePermissions(npm, PosixFilePermissions.fromString("rwx------"));
        ProcessBuilder builder = new ProcessBuilder("sh", script.toString()).redirectErrorStream(true);
        builder.environment().merge("PATH", npm.getParent() + ":", (path, first) -> first + path);
        Process process = builder.start();
        String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(words).isNotZero();
        assertThat(words).contains("speedscope-1.25.0.tgz", "FAILED");
        assertThat(dir.resolve("speedscope")).doesNotExist();
    }
}
