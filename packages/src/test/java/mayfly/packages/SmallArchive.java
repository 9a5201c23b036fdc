package mayfly.packages;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;

/** An archive with the structure of a real one and a few small files. */
final class SmallArchive {
    static final Product PRODUCT = new Product("1.2.3-SNAPSHOT", "https://mayfly.example");
    static final String PICOCLI = "4.7.7";
    static final Instant TIME = Instant.parse("2026-11-25T07:28:05Z");

    private static final String TOP = "mayfly-1.2.3-SNAPSHOT";
    private static final String MAVEN = """
        {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
         "metadata": {"timestamp": "2026-01-01T00:00:00Z"},
         "components": [{"type": "library", "group": "org.tukaani", "name": "xz", "version": "1.12",
                         "purl": "pkg:maven/org.tukaani/xz@1.12?type=jar"}]}
        """;

    private final TarArchiveOutputStream tar;

    private SmallArchive(TarArchiveOutputStream tar) {
        this.tar = tar;
    }

    /** Writes the archive and Maven's bill of materials into a folder. */
    static void writeTo(Path folder) throws IOException {
        Files.writeString(folder.resolve("bom.json"), MAVEN);
        try (OutputStream out = Files.newOutputStream(folder.resolve(TOP + "-linux-x86_64.tar.gz"));
                TarArchiveOutputStream tar = new TarArchiveOutputStream(new GzipCompressorOutputStream(out))) {
            SmallArchive archive = new SmallArchive(tar);
            archive.folder("");
            archive.file("LICENSE", 0644, "Apache License\n");
            archive.folder("app/");
            archive.file("app/mayfly-cli-1.2.3.jar", 0644, "jar");
            archive.folder("completion/");
            for (String shell : new String[] {"bash", "fish", "zsh"}) {
                archive.file("completion/mayfly." + shell, 0644, shell);
            }
            archive.folder("licenses/");
            archive.file("licenses/README.txt", 0644, "The licence of each part\n");
            archive.file(
                    "licenses/glibc.txt", 0644, "ld.so (Debian GLIBC 2.36-9+deb12u14) stable release version 2.36.\n");
            archive.folder("man/");
            archive.folder("man/man1/");
            archive.file("man/man1/mayfly.1", 0644, ".TH MAYFLY 1\n");
            archive.file("mayfly", 0755, "launcher");
            archive.folder("runtime/");
            archive.folder("runtime/legal/");
            archive.file("runtime/legal/LICENSE", 0644, "GPL\n");
            archive.link("runtime/legal/COPY", "LICENSE");
            archive.file("runtime/release", 0644, "JAVA_VERSION=\"25.0.3\"\n");
        }
    }

    static Archive unpacked(Path folder) throws IOException {
        return Archive.unpack(folder.resolve(TOP + "-linux-x86_64.tar.gz"), folder.resolve("unpacked"));
    }

    private void folder(String path) throws IOException {
        put(new TarArchiveEntry(TOP + "/" + path), 0755, "");
    }

    private void file(String path, int mode, String text) throws IOException {
        put(new TarArchiveEntry(TOP + "/" + path), mode, text);
    }

    private void link(String path, String target) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(TOP + "/" + path, TarConstants.LF_SYMLINK);
        entry.setLinkName(target);
        put(entry, 0777, "");
    }

    private void put(TarArchiveEntry entry, int mode, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        entry.setMode(entry.getMode() & ~0777 | mode);
        entry.setModTime(TIME.toEpochMilli());
        entry.setSize(bytes.length);
        tar.putArchiveEntry(entry);
        tar.write(bytes);
        tar.closeArchiveEntry();
    }
}
