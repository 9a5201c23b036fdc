package mayfly.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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

/** {@code mayfly dist}, with a script in place of Maven. */
@Tag("slow")
class DistCommandTest {
    private record Ran(int status, String out, String err) {}

    @TempDir
    private Path dir;

    /** The script prints its arguments and makes two files. */
    @BeforeEach
    void writeAScriptInPlaceOfMaven() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no /bin/sh");
        Path mvn = Files.writeString(dir.resolve("mvn"), """
            #!/bin/sh
            echo "$*"
            mkdir -p cli/target/dist/mayfly-1
            touch cli/target/dist/mayfly-1.tar.gz cli/target/dist/mayfly_1_amd64.deb
            """);
        Files.setPosixFilePermissions(mvn, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Ran dist(String... arguments) throws Exception {
        Path script = Path.of("").toAbsolutePath().resolve("src/main/sh/dist-command.sh");
        List<String> command = new ArrayList<>(List.of("/bin/sh", script.toString(), dir.toString()));
        command.addAll(List.of(arguments));
        Path err = dir.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
        builder.environment().put("PATH", dir + ":" + System.getenv("PATH"));
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ran(process.waitFor(), out, Files.readString(err));
    }

    @Test
    void distWithoutArgumentsMakesAllKindsAndPrintsTheirFiles() throws Exception {
        Ran ran = dist();
        assertThat(ran.err()).contains(" -pl packages ", " -Dmayfly.packages=deb,rpm,oci,sbom ");
        assertThat(ran.out())
                .isEqualTo(dir + "/cli/target/dist/mayfly-1.tar.gz\n" + dir + "/cli/target/dist/mayfly_1_amd64.deb\n");
        assertThat(ran.status()).isZero();
    }

    @Test
    void onlySelectsKindsAndTheArchiveNeedsNoPackages() throws Exception {
        assertThat(dist("--only", "oci,deb").err()).contains(" -pl packages ", " -Dmayfly.packages=oci,deb ");
        assertThat(dist("--only=tar").err()).contains(" -pl cli ", " -Dmayfly.packages= ");
    }

    @Test
    void unknownKindOrArgumentIsAUsageErrorBeforeTheBuild() throws Exception {
        for (List<String> arguments : List.of(
                List.of("--only", "msi"),
                List.of("--only", ""),
                List.of("--only"),
                List.of("--only", "deb,,rpm"),
                List.of("deb"))) {
            Ran ran = dist(arguments.toArray(String[]::new));
            assertThat(ran.status()).as("%s", arguments).isEqualTo(2);
            assertThat(ran.err()).as("%s", arguments).contains("[usage]").doesNotContain("building");
        }
    }

    @Test
    void helpNamesEveryKind() throws Exception {
        assertThat(dist("--help").out()).contains("tar ", "deb ", "rpm ", "oci ", "sbom ", "--only");
    }
}
