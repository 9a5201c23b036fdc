package mayfly.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.cyclonedx.Version;
import org.cyclonedx.parsers.JsonParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BillOfMaterialsTest {
    @TempDir
    private Path folder;

    private Path write(Archive archive) throws IOException {
        Path file = folder.resolve("bill.json");
        BillOfMaterials.write(file, folder.resolve("bom.json"), archive, SmallArchive.PICOCLI);
        return file;
    }

    @Test
    void billHasTheJarsOfMavenAndTheOtherPartsOfTheArchive() throws IOException {
        SmallArchive.writeTo(folder);
        JsonNode bill =
                new ObjectMapper().readTree(write(SmallArchive.unpacked(folder)).toFile());
        assertThat(bill.get("components").findValuesAsText("purl"))
                .containsExactlyInAnyOrder(
                        "pkg:maven/org.tukaani/xz@1.12?type=jar", "pkg:maven/info.picocli/picocli@4.7.7",
                        "pkg:generic/openjdk@25.0.3", "pkg:deb/debian/glibc@2.36-9%2Bdeb12u14?arch=source");
        assertThat(bill.at("/metadata/timestamp").asText()).isEqualTo(SmallArchive.TIME.toString());
    }

    @Test
    void billConformsToTheSchemaOfCycloneDx() throws IOException {
        SmallArchive.writeTo(folder);
        Path bill = write(SmallArchive.unpacked(folder));
        assertThat(new JsonParser().validate(bill.toFile(), Version.VERSION_16)).isEmpty();
    }

    @Test
    void glibcOfAnotherDistributionIsNamedByItsRelease() throws IOException {
        SmallArchive.writeTo(folder);
        Archive archive = SmallArchive.unpacked(folder);
        Files.writeString(
                archive.file("licenses/glibc.txt").content(), "ld.so (GNU libc) stable release version 2.41.\n");
        assertThat(write(archive)).content().contains("\"pkg:generic/glibc@2.41\"");
    }

    @Test
    void archiveWithoutAVersionOfItsRuntimeIsRefused() throws IOException {
        SmallArchive.writeTo(folder);
        Archive archive = SmallArchive.unpacked(folder);
        Files.writeString(archive.file("runtime/release").content(), "MODULES=\"java.base\"\n");
        assertThatIOException().isThrownBy(() -> write(archive)).withMessageContaining("no version in");
    }
}
