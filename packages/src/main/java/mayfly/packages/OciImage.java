package mayfly.packages;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FileEntry;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import mayfly.packages.Item.Folder;
import mayfly.packages.Item.Link;
import mayfly.packages.Item.Regular;

/**
 * An OCI image layout in a tar file. The image has nothing but Mayfly and an empty folder: the archive needs no
 * library, no shell and no user database. Every user can run it, because all files are readable by others.
 */
final class OciImage {
    private static final String RUNTIME = "runtime";
    private static final List<String> NOT_IN_AN_IMAGE = List.of("man", "completion");

    private final Archive archive;
    private final Product product;
    private final Path bill;

    OciImage(Archive archive, Product product, Path bill) {
        this.archive = archive;
        this.product = product;
        this.bill = bill;
    }

    /** @param work an empty folder, for temporary files */
    void write(Path file, Path work) throws IOException, InterruptedException {
        try {
            String home = "/" + Product.HOME;
            // The command of an ephemeral container replaces the entry point, and finds mayfly by its name.
            Jib.fromScratch()
                    .setFormat(ImageFormat.OCI)
                    .setPlatforms(Set.of(new Platform("amd64", "linux")))
                    .setCreationTime(archive.time())
                    .setFileEntriesLayers(runtime(work), mayfly(work))
                    .setEntrypoint(home + "/mayfly")
                    .setEnvironment(Map.of("PATH", home))
                    .setWorkingDirectory(AbsoluteUnixPath.get("/tmp"))
                    .setLabels(labels())
                    .containerize(Containerizer.to(TarImage.at(file).named(Product.NAME + ":" + product.version()))
                            .setOfflineMode(true)
                            .setBaseImageLayersCache(work.resolve("base"))
                            .setApplicationLayersCache(work.resolve("layers"))
                            .setToolName(Product.NAME)
                            .setToolVersion(product.version()));
        } catch (InvalidImageReferenceException
                | ExecutionException
                | RegistryException
                | CacheDirectoryCreationException e) {
            throw new IOException("the image cannot be made: " + e.getMessage(), e);
        }
    }

    private Map<String, String> labels() {
        return Map.of(
                "org.opencontainers.image.title",
                Product.NAME,
                "org.opencontainers.image.description",
                Product.SUMMARY,
                "org.opencontainers.image.version",
                product.version(),
                "org.opencontainers.image.url",
                product.site(),
                "org.opencontainers.image.licenses",
                Product.LICENSES);
    }

    /** The Java runtime, which changes less often than Mayfly: a layer of its own is downloaded less often. */
    private FileEntriesLayer runtime(Path work) throws IOException {
        return layer(RUNTIME, archive.below(RUNTIME), work).build();
    }

    private FileEntriesLayer mayfly(Path work) throws IOException {
        List<String> elsewhere = new ArrayList<>(NOT_IN_AN_IMAGE);
        elsewhere.add(RUNTIME);
        Path empty = Files.createDirectories(work.resolve("empty"));
        return layer(Product.NAME, archive.outside(elsewhere), empty)
                .addEntry(entry("/" + Product.HOME + "/" + BillOfMaterials.FILE_NAME, bill, 0644))
                .addEntry(entry("/tmp", empty, 0777))
                .build();
    }

    /** @param folder any folder: for a folder in the image, Jib needs the path of a folder on this machine */
    private FileEntriesLayer.Builder layer(String name, List<Item> items, Path folder) throws IOException {
        FileEntriesLayer.Builder layer = FileEntriesLayer.builder().setName(name);
        for (Item item : items) {
            String path = "/" + Product.HOME + "/" + item.path();
            switch (item) {
                case Folder(String _, int mode) -> layer.addEntry(entry(path, folder, mode));
                case Regular(String _, int mode, Path content) -> layer.addEntry(entry(path, content, mode));
                // Jib writes no links. The few in the folder of licences become copies.
                case Link link ->
                    layer.addEntry(
                            entry(path, targetOf(link).content(), targetOf(link).mode()));
            }
        }
        return layer;
    }

    private Regular targetOf(Link link) throws IOException {
        return archive.file(
                Path.of(link.path()).resolveSibling(link.target()).normalize().toString());
    }

    private FileEntry entry(String path, Path content, int mode) {
        return new FileEntry(
                content,
                AbsoluteUnixPath.get(path),
                FilePermissions.fromOctalString(String.format("%03o", mode)),
                archive.time(),
                "0:0");
    }
}
