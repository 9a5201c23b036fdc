package mayfly.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import mayfly.packages.Item.Link;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArchiveTest {
    @TempDir
    private Path folder;

    @Test
    void unpackedArchiveHasContentsModesLinksAndTime() throws IOException {
        SmallArchive.writeTo(folder);
        Archive archive = SmallArchive.unpacked(folder);
        assertThat(archive.time()).isEqualTo(SmallArchive.TIME);
        assertThat(archive.file("mayfly").mode()).isEqualTo(0755);
        assertThat(archive.text("LICENSE")).isEqualTo("Apache License\n");
        assertThat(archive.items()).contains(new Link("runtime/legal/COPY", "LICENSE"));
        assertThat(archive.below("man/man1")).extracting(Item::path).containsExactly("man/man1", "man/man1/mayfly.1");
        assertThat(archive.outside(List.of("man", "runtime")))
                .extracting(Item::path)
                .contains("mayfly")
                .noneMatch(path -> path.startsWith("man/") || path.startsWith("runtime"));
    }

    @Test
    void pathOutsideOfTheFolderIsRefused() throws IOException {
        for (String name : List.of("mayfly/../../etc/passwd", "../mayfly", "/../etc/passwd")) {
            Path file = archiveWith(new TarArchiveEntry(name, true));
            assertThatIOException()
                    .as(name)
                    .isThrownBy(() -> Archive.unpack(file, folder.resolve("target")))
                    .withMessageContaining("not a path in a folder");
        }
    }

    @Test
    void deviceIsRefused() throws IOException {
        Path file = archiveWith(new TarArchiveEntry("mayfly/device", TarConstants.LF_CHR));
        assertThatIOException()
                .isThrownBy(() -> Archive.unpack(file, folder.resolve("target")))
                .withMessageContaining("neither a file, a folder nor a symbolic link");
    }

    @Test
    void missingFileIsNamed() throws IOException {
        SmallArchive.writeTo(folder);
        Archive archive = SmallArchive.unpacked(folder);
        assertThatIOException().isThrownBy(() -> archive.text("app/none")).withMessageContaining("no file app/none");
    }

    private Path archiveWith(TarArchiveEntry entry) throws IOException {
        Path file = folder.resolve("hostile.tar.gz");
        try (OutputStream out = Files.newOutputStream(file);
                TarArchiveOutputStream tar = new TarArchiveOutputStream(new GzipCompressorOutputStream(out))) {
            tar.putArchiveEntry(entry);
            tar.closeArchiveEntry();
        }
        return file;
    }
}
