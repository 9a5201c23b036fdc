package mayfly.packages;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import mayfly.packages.Item.Folder;
import mayfly.packages.Item.Link;
import mayfly.packages.Item.Regular;
import org.eclipse.packager.rpm.FileFlags;
import org.eclipse.packager.rpm.RpmTag;
import org.eclipse.packager.rpm.RpmVersion;
import org.eclipse.packager.rpm.build.BuilderContext;
import org.eclipse.packager.rpm.build.BuilderOptions;
import org.eclipse.packager.rpm.build.DigestAlgorithm;
import org.eclipse.packager.rpm.build.FileInformation;
import org.eclipse.packager.rpm.build.RpmBuilder;
import org.eclipse.packager.rpm.build.RpmBuilder.PackageInformation;
import org.eclipse.packager.rpm.coding.PayloadCoding;

/** A package for Fedora, its descendants, and SUSE. It requires no other package and runs no scripts. */
final class RpmPackage {
    private static final String RELEASE = "1";
    private static final String ARCHITECTURE = "x86_64";

    private RpmPackage() {}

    static String fileName(Product product) {
        return Product.NAME + "-" + product.packageVersion() + "-" + RELEASE + "." + ARCHITECTURE + ".rpm";
    }

    static void write(Path file, List<Item> items, Product product, Archive archive) throws IOException {
        BuilderOptions options = new BuilderOptions();
        // For XZ, the library would require "PayloadIsXz", which no system provides, instead of "rpmlib(PayloadIsXz)".
        options.setPayloadCoding(PayloadCoding.GZIP);
        options.setFileDigestAlgorithm(DigestAlgorithm.SHA256);
        RpmVersion version = new RpmVersion(product.packageVersion(), RELEASE);
        try (RpmBuilder builder = new RpmBuilder(Product.NAME, version, ARCHITECTURE, file, options)) {
            builder.setInformation(information(product));
            builder.setHeaderCustomizer(header -> header.putInt(
                    RpmTag.BUILDTIME, Math.toIntExact(archive.time().getEpochSecond())));
            BuilderContext context = builder.newContext();
            for (Item item : items) {
                add(context, item, archive.time());
            }
            builder.build();
        }
    }

    private static PackageInformation information(Product product) {
        PackageInformation information = new PackageInformation();
        information.setSummary(Product.SUMMARY);
        information.setDescription(Product.DESCRIPTION);
        information.setLicense(Product.LICENSES);
        information.setUrl(product.site());
        information.setPackager(product.maintainer());
        information.setGroup("Development/Tools");
        information.setBuildHost("localhost");
        // Without the name of a source package, rpm treats this package as a source package.
        information.setSourcePackage(Product.NAME + "-" + product.packageVersion() + "-" + RELEASE + ".src.rpm");
        return information;
    }

    private static void add(BuilderContext context, Item item, Instant time) throws IOException {
        switch (item) {
            case Folder(String path, int mode) -> context.addDirectory(path, (_, _, _) -> facts(mode, time));
            case Link(String path, String target) ->
                context.addSymbolicLink(path, target, (_, _, _) -> facts(0777, time));
            case Regular(String path, int mode, Path content) ->
                context.addFile(path, content, (_, _, _) -> {
                    FileInformation facts = facts(mode, time);
                    flag(path).ifPresent(flag -> facts.setFileFlags(Set.of(flag)));
                    return facts;
                });
        }
    }

    private static Optional<FileFlags> flag(String path) {
        if (path.startsWith("usr/share/licenses/")) {
            return Optional.of(FileFlags.LICENSE);
        }
        return path.startsWith("usr/share/man/") || path.startsWith("usr/share/doc/")
                ? Optional.of(FileFlags.DOC)
                : Optional.empty();
    }

    private static FileInformation facts(int mode, Instant time) {
        FileInformation facts = new FileInformation();
        facts.setMode((short) mode);
        facts.setTimestamp(time);
        return facts;
    }
}
