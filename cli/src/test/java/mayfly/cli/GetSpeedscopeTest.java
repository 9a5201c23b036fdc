package mayfly.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code testing/get-speedscope} with an npm that delivers another package. */
@Tag("slow")
class GetSpeedscopeTest {
    private static final Path SCRIPT = Path.of("").toAbsolutePath().getParent().resolve("testing/get-speedscope");
    private static final String SCHEMA = "package/dist/release/file-format-schema.json";
    private static final String PACKAGE = "speedscope-1.25.0.tgz";

    @TempDir
    private Path dir;

    private int run(String script) throws IOException, InterruptedException {
        Path copy = Files.writeString(dir.resolve("get-speedscope"), script);
        ProcessBuilder builder = new ProcessBuilder("sh", copy.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().merge("PATH", dir.resolve("bin").toString(), (path, bin) -> bin + ":" + path);
        return builder.start().waitFor();
    }

    private Path packed() throws IOException, InterruptedException {
        Path schema = dir.resolve(SCHEMA);
        Files.createDirectories(schema.getParent());
        Files.writeString(schema, "{}");
        Path packed = dir.resolve(PACKAGE);
        assertThat(new ProcessBuilder("tar", "czf", packed.toString(), "-C", dir.toString(), "package")
                        .start()
                        .waitFor())
                .isZero();
        Path npm = Files.createDirectory(dir.resolve("bin")).resolve("npm");
        Files.writeString(npm, "#!/bin/sh\ncp " + packed + " .\n");
        Files.setPosixFilePermissions(npm, PosixFilePermissions.fromString("rwxr-xr-x"));
        return packed;
    }

    @Test
    void packageWithAnotherSumIsNotUnpacked() throws Exception {
        byte[] sum = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(packed()));
        String script = Files.readString(SCRIPT, StandardCharsets.UTF_8);
        assertThat(run(script)).isNotZero();
        assertThat(dir.resolve("speedscope")).doesNotExist();
        String expecting = script.replaceFirst("[0-9a-f]{64}", HexFormat.of().formatHex(sum));
        assertThat(run(expecting)).isZero();
        assertThat(dir.resolve("speedscope/file-format-schema.json")).hasContent("{}");
    }
}
