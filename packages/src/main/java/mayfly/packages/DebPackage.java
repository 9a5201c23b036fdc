package mayfly.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import mayfly.packages.Item.Folder;
import mayfly.packages.Item.Link;
import mayfly.packages.Item.Regular;
import org.vafer.jdeb.Console;
import org.vafer.jdeb.DataProducer;
import org.vafer.jdeb.DebMaker;
import org.vafer.jdeb.PackagingException;
import org.vafer.jdeb.mapping.Mapper;
import org.vafer.jdeb.mapping.PermMapper;
import org.vafer.jdeb.producers.DataProducerFile;
import org.vafer.jdeb.producers.DataProducerLink;
import org.vafer.jdeb.producers.DataProducerPathTemplate;

/** A package for Debian and its descendants. It depends on no other package and runs no scripts. */
final class DebPackage {
    private static final String[] ALL = {};

    private DebPackage() {}

    static String fileName(Product product) {
        return Product.NAME + "_" + product.packageVersion() + "_amd64.deb";
    }

    /** @param work an empty folder, for temporary files */
    static void write(Path file, List<Item> items, Product product, Archive archive, Path work) throws IOException {
        Path control = Files.createDirectories(work.resolve("control"));
        Files.writeString(control.resolve("control"), control(product));
        List<DataProducer> producers = new ArrayList<>();
        for (Item item : items) {
            producers.add(producer(item));
        }
        DebMaker maker = new DebMaker(new Silence(), producers, List.of());
        maker.setControl(control.toFile());
        maker.setDeb(file.toFile());
        // XZ, in Java, would take ten times as long for a file that is 17 % smaller.
        maker.setCompression("gzip");
        maker.setTarLongFileMode("gnu");
        maker.setOutputTimestampMs(archive.time().toEpochMilli());
        try {
            maker.validate();
            maker.makeDeb();
        } catch (PackagingException e) {
            throw new IOException(file + " cannot be made: " + e.getMessage(), e);
        }
    }

    static String control(Product product) {
        return """
            Package: %s
            Version: %s
            Section: devel
            Priority: optional
            Architecture: amd64
            Maintainer: %s
            Homepage: %s
            Description: %s
            %s
            """.formatted(
                        Product.NAME,
                        product.packageVersion(),
                        product.maintainer(),
                        product.site(),
                        Product.SUMMARY,
                        Product.DESCRIPTION.indent(1).stripTrailing());
    }

    private static DataProducer producer(Item item) {
        return switch (item) {
            case Folder(String path, int mode) ->
                new DataProducerPathTemplate(new String[] {path}, ALL, ALL, permissions(mode));
            case Regular(String path, int mode, Path content) ->
                new DataProducerFile(content.toFile(), path, ALL, ALL, permissions(mode));
            case Link(String path, String target) ->
                new DataProducerLink("./" + path, target, true, ALL, ALL, permissions(0777));
        };
    }

    private static Mapper[] permissions(int mode) {
        return new Mapper[] {new PermMapper(0, 0, "root", "root", mode, mode, 0, null)};
    }

    /** The build prints the paths of the packages only; failures are exceptions. */
    private static final class Silence implements Console {
        @Override
        public void debug(String message) {}

        @Override
        public void info(String message) {}

        @Override
        public void warn(String message) {}
    }
}
