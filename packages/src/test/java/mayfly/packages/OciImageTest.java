package mayfly.packages;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The image as a reader of the OCI image layout finds it. */
class OciImageTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private final Map<String, byte[]> layout = new HashMap<>();
    private JsonNode manifest = JSON.nullNode();
    private JsonNode config = JSON.nullNode();

    @BeforeEach
    void writeAndReadAnImage() throws Exception {
        SmallArchive.writeTo(folder);
        Path bill = Files.writeString(folder.resolve("bill"), "{}");
        Path file = folder.resolve("image.tar");
        new OciImage(SmallArchive.unpacked(folder), SmallArchive.PRODUCT, bill)
                .write(file, Files.createDirectories(folder.resolve("work")));
        try (TarArchiveInputStream tar = new TarArchiveInputStream(Files.newInputStream(file))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                layout.put(entry.getName(), tar.readAllBytes());
            }
        }
        manifest = JSON.readTree(blob(JSON.readTree(layout.get("index.json")).at("/manifests/0")));
        config = JSON.readTree(blob(manifest.get("config")));
    }

    /** Returns the bytes of a descriptor after a check of their size and digest. */
    private byte[] blob(JsonNode descriptor) throws Exception {
        String digest = descriptor.get("digest").asText();
        byte[] bytes = layout.get("blobs/" + digest.replace(':', '/'));
        assertThat(bytes).hasSize(descriptor.get("size").asInt());
        assertThat("sha256:"
                        + HexFormat.of()
                                .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)))
                .isEqualTo(digest);
        return bytes;
    }

    private Map<String, TarArchiveEntry> files() throws Exception {
        Map<String, TarArchiveEntry> files = new TreeMap<>();
        for (JsonNode layer : manifest.get("layers")) {
            try (TarArchiveInputStream tar = tar(blob(layer))) {
                for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                    files.put(entry.getName(), entry);
                }
            }
        }
        return files;
    }

    private static TarArchiveInputStream tar(byte[] compressed) throws IOException {
        InputStream in = new ByteArrayInputStream(compressed);
        return new TarArchiveInputStream(new GzipCompressorInputStream(in));
    }

    @Test
    void layoutNamesVersionAndPlatform() throws IOException {
        assertThat(JSON.readTree(layout.get("oci-layout"))
                        .get("imageLayoutVersion")
                        .asText())
                .isEqualTo("1.0.0");
        assertThat(config.get("os").asText()).isEqualTo("linux");
        assertThat(config.get("architecture").asText()).isEqualTo("amd64");
        assertThat(config.get("created").asText()).isEqualTo(SmallArchive.TIME.toString());
        assertThat(config.at("/config/Labels/org.opencontainers.image.version").asText())
                .isEqualTo("1.2.3-SNAPSHOT");
    }

    @Test
    void launcherIsTheEntryPointAndIsFoundByName() {
        assertThat(config.at("/config/Entrypoint/0").asText()).isEqualTo("/usr/lib/mayfly/mayfly");
        assertThat(config.at("/config/Env/0").asText()).isEqualTo("PATH=/usr/lib/mayfly");
        assertThat(config.at("/config/WorkingDir").asText()).isEqualTo("/tmp");
        assertThat(config.at("/config/User").isMissingNode())
                .as("the user can be chosen")
                .isTrue();
    }

    @Test
    void allFilesBelongToRootAndCanBeReadByOthers() throws Exception {
        assertThat(files().values()).hasSizeGreaterThan(8).allSatisfy(entry -> {
            assertThat(entry.getLongUserId()).as(entry.getName()).isZero();
            assertThat(entry.getLongGroupId()).as(entry.getName()).isZero();
            assertThat(entry.getMode() & 0004).as(entry.getName()).isNotZero();
        });
    }

    @Test
    void filesHaveModesAndTimeOfTheArchive() throws Exception {
        Map<String, TarArchiveEntry> files = files();
        assertThat(files.get("usr/lib/mayfly/mayfly").getMode() & 0777).isEqualTo(0755);
        assertThat(files.get("tmp/").getMode() & 0777).isEqualTo(0777);
        // The start-up cache is valid for this time only.
        assertThat(files.get("usr/lib/mayfly/app/mayfly-cli-1.2.3.jar")
                        .getLastModifiedTime()
                        .toInstant())
                .isEqualTo(SmallArchive.TIME);
    }

    @Test
    void linkBecomesACopyAndManualPagesAreLeftOut() throws Exception {
        Map<String, TarArchiveEntry> files = files();
        assertThat(files.get("usr/lib/mayfly/runtime/legal/COPY").getSize()).isEqualTo("GPL\n".length());
        assertThat(files)
                .containsKey("usr/lib/mayfly/mayfly.cdx.json")
                .allSatisfy((name, _) -> assertThat(name).doesNotContain("/man/", "/completion/"));
    }
}
