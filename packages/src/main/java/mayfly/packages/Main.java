package mayfly.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.Set;
import java.util.stream.Stream;
import mayfly.packages.SystemFiles.Family;

/** Makes the packages of an archive beside it. The build calls this; see {@code mayfly dist --help}. */
public final class Main {
    private Main() {}

    /**
     * @param args the folder with the archive, the version of the build, the address of the project, Maven's bill of
     *         materials, the version of picocli, and {@code kinds=} with the kinds to make, separated by commas
     * @throws IOException if the archive cannot be read, or a package cannot be written
     * @throws InterruptedException if this thread is interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path folder = Path.of(args[0]);
        Product product = new Product(args[1], args[2]);
        Set<Kind> kinds = Kind.named(args[5].substring("kinds=".length()));
        Path work = Files.createTempDirectory("mayfly-packages");
        try {
            make(folder, product, Path.of(args[3]), args[4], kinds, work);
        } finally {
            remove(work);
        }
    }

    static void make(Path folder, Product product, Path maven, String picocli, Set<Kind> kinds, Path work)
            throws IOException, InterruptedException {
        String name = Product.NAME + "-" + product.version() + "-linux-x86_64";
        Archive archive = Archive.unpack(folder.resolve(name + ".tar.gz"), work.resolve("archive"));
        Path bill = work.resolve(BillOfMaterials.FILE_NAME);
        BillOfMaterials.write(bill, maven, archive, picocli);
        SystemFiles files = new SystemFiles(archive, bill, Files.createDirectories(work.resolve("files")));
        for (Kind kind : kinds) {
            Path part = folder.resolve(name + "." + kind + ".part");
            String made = switch (kind) {
                case SBOM -> {
                    Files.copy(bill, part, StandardCopyOption.REPLACE_EXISTING);
                    yield name + ".cdx.json";
                }
                case OCI -> {
                    Path image = Files.createDirectories(work.resolve("image"));
                    new OciImage(archive, product, bill).write(part, image);
                    yield name + ".oci.tar";
                }
                case DEB -> {
                    DebPackage.write(part, files.of(Family.DEBIAN), product, archive, work);
                    yield DebPackage.fileName(product);
                }
                case RPM -> {
                    RpmPackage.write(part, files.of(Family.RPM), product, archive);
                    yield RpmPackage.fileName(product);
                }
            };
            Files.move(part, folder.resolve(made), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
