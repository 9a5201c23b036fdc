package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import mayfly.kit.Command;
import mayfly.kit.Patience;
import mayfly.kit.Project;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code mvnw}. No test downloads Maven itself. */
class MavenWrapperTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(20));
    private static final Path CURL = Path.of("/usr/bin/curl");
    private static final String VERSION = "3.9.11";

    @TempDir
    private Path folder;

    private Command run(Map<String, String> environment) {
        return Command.run(
                LIMIT, List.of("/bin/sh", Project.root().resolve("mvnw").toString(), "-v"), folder, environment);
    }

    @Test
    void downloadWithAnotherSumIsRefusedAndLeavesNothing() throws IOException {
        assumeTrue(Files.isExecutable(CURL), "needs curl");
        Path archive = folder.resolve(
                "repository/org/apache/maven/apache-maven/" + VERSION + "/apache-maven-" + VERSION + "-bin.tar.gz");
        Files.createDirectories(archive.getParent());
        Files.writeString(archive, "not Maven");
        Path home = folder.resolve("home");
        Command done = run(Map.of(
                "MVNW_REPOURL", folder.resolve("repository").toUri().toString(), "MAVEN_USER_HOME", home.toString()));
        assertThat(done.exitCode()).as(done::evidence).isEqualTo(1);
        assertThat(done.stderr()).contains("does not have the SHA-512 of Maven " + VERSION);
        assertThat(Checks.files(home.resolve("wrapper/dists"))).isEmpty();
    }

    @Test
    void wrapperWithoutMavenAndRepositoryReportsWhatToDo() {
        Command done = run(Map.of("PATH", folder.toString(), "MAVEN_USER_HOME", folder.toString(), "MVNW_REPOURL", ""));
        assertThat(done.exitCode()).as(done::evidence).isEqualTo(1);
        assertThat(done.stderr())
                .isEqualTo("mvnw: there is no Maven: install the package maven, or set MVNW_REPOURL"
                        + " to a Maven repository");
    }

    @Test
    void downloadedMavenRunsWithTheArguments() throws IOException {
        Path mvn = folder.resolve("wrapper/dists/apache-maven-" + VERSION + "/bin/mvn");
        Files.createDirectories(mvn.getParent());
        Files.writeString(mvn, "#!/bin/sh\necho \"downloaded $*\"\n");
        assertThat(mvn.toFile().setExecutable(true)).isTrue();
        assertThat(run(Map.of("MAVEN_USER_HOME", folder.toString())).stdout()).isEqualTo("downloaded -v");
    }
}
