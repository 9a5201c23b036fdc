package mayfly.attach.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostFilesTest {
    private static final List<String> FILES = List.of(
            "b/Two.class",
            "a/b/Deep.class",
            "b/One.class",
            "b/One$1.class",
            "b/HostLibrary.class",
            "b/package-info.class",
            "b/notes.txt",
            "module-info.class",
            "b/c/package-info.class",
            "b/c/Other.class");

    @TempDir
    private Path folder;

    private Path jar() throws IOException {
        Path jar = folder.resolve("classes.jar");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (String file : FILES) {
                out.putNextEntry(new ZipEntry(file));
                out.write(contents(file));
            }
        }
        return jar;
    }

    private static byte[] contents(String file) {
        return ("contents of " + file).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] expected(String... files) throws IOException {
        var out = new ByteArrayOutputStream();
        for (String file : files) {
            ProfilerJar.add(out, file, contents(file));
        }
        return out.toByteArray();
    }

    @Test
    void classesOfPackagesInAJarAreThoseForTheTarget() throws IOException {
        var out = new ByteArrayOutputStream();
        HostFiles.addJar(out, jar(), "b/");
        assertThat(out.toByteArray())
                .isEqualTo(expected("b/One$1.class", "b/One.class", "b/Two.class", "b/c/Other.class"));
    }

    @Test
    void directoryHasTheSameClassesAsAJar() throws IOException {
        for (String file : FILES) {
            Path path = folder.resolve(file);
            Files.createDirectories(path.getParent());
            Files.write(path, contents(file));
        }
        var out = new ByteArrayOutputStream();
        HostFiles.addDirectory(out, folder.resolve("b"), "b/");
        assertThat(out.toByteArray())
                .isEqualTo(expected("b/One$1.class", "b/One.class", "b/Two.class", "b/c/Other.class"));
    }
}
