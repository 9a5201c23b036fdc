package mayfly.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackagesTest {
    private static final List<String> NAMES = List.of(
            "mayfly-1.2.3-SNAPSHOT-linux-x86_64.cdx.json",
            "mayfly-1.2.3-SNAPSHOT-linux-x86_64.oci.tar",
            "mayfly-1.2.3~snapshot-1.x86_64.rpm",
            "mayfly_1.2.3~snapshot_amd64.deb");

    @TempDir
    private Path folder;

    private Path make(String name, Set<Kind> kinds) throws IOException, InterruptedException {
        Path target = Files.createDirectories(folder.resolve(name));
        SmallArchive.writeTo(target);
        Main.make(
                target,
                SmallArchive.PRODUCT,
                target.resolve("bom.json"),
                SmallArchive.PICOCLI,
                kinds,
                Files.createDirectories(folder.resolve(name + "-work")));
        return target;
    }

    @Test
    void twoBuildsOfTheSameArchiveWriteTheSameBytes() throws IOException, InterruptedException {
        Path first = make("first", EnumSet.allOf(Kind.class));
        Path second = make("second", EnumSet.allOf(Kind.class));
        for (String name : NAMES) {
            assertThat(first.resolve(name)).as(name).hasSameBinaryContentAs(second.resolve(name));
        }
    }

    @Test
    void onlyTheNamedKindsAreMade() throws IOException, InterruptedException {
        Path made = make("some", Kind.named("sbom,deb"));
        try (Stream<Path> files = Files.list(made)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "bom.json", "mayfly-1.2.3-SNAPSHOT-linux-x86_64.tar.gz", NAMES.get(0), NAMES.get(3));
        }
    }

    @Test
    void emptyListSelectsAllKindsAndUnknownKindIsRefused() {
        assertThat(Kind.named("")).containsExactly(Kind.values());
        assertThatIllegalArgumentException().isThrownBy(() -> Kind.named("msi"));
    }

    @Test
    void snapshotIsOlderThanItsReleaseInAPackageManager() {
        assertThat(new Product("0.1.0-SNAPSHOT", "https://mayfly.example").packageVersion())
                .isEqualTo("0.1.0~snapshot");
        assertThat(new Product("0.1.0-rc-1", "https://mayfly.example").packageVersion())
                .isEqualTo("0.1.0~rc.1");
        assertThat(new Product("0.1.0", "https://mayfly.example").packageVersion())
                .isEqualTo("0.1.0");
    }
}
