package mayfly.packages;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.zip.Deflater;
import mayfly.packages.Item.Folder;
import mayfly.packages.Item.Link;
import mayfly.packages.Item.Regular;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/** The files of a package for a system's package manager: the archive, and files in the places that the system uses. */
final class SystemFiles {
    /** A family of distributions, with the paths that differ between the families. */
    enum Family {
        DEBIAN("usr/share/zsh/vendor-completions/_mayfly", "usr/share/doc/mayfly/copyright"),
        RPM("usr/share/zsh/site-functions/_mayfly", "usr/share/licenses/mayfly/LICENSES");

        private final String zsh;
        private final String licenses;

        Family(String zsh, String licenses) {
            this.zsh = zsh;
            this.licenses = licenses;
        }
    }

    private static final String MAN = "man/man1";
    private static final List<String> ELSEWHERE = List.of("man", "completion");

    private final Archive archive;
    private final Path bill;
    private final Path work;

    /** @param work a folder for files that are made here */
    SystemFiles(Archive archive, Path bill, Path work) {
        this.archive = archive;
        this.bill = bill;
        this.work = work;
    }

    /** @return sorted by path, so that each folder precedes its files */
    List<Item> of(Family family) throws IOException {
        List<Item> items = new ArrayList<>();
        items.add(new Folder(Product.HOME, 0755));
        for (Item item : archive.outside(ELSEWHERE)) {
            items.add(item.at(Product.HOME + "/" + item.path()));
        }
        for (Item page : archive.below(MAN)) {
            if (page instanceof Regular regular) {
                items.add(compressed("usr/share/" + page.path() + ".gz", regular));
            }
        }
        items.add(new Link("usr/bin/mayfly", "../lib/mayfly/mayfly"));
        items.add(archive.file("completion/mayfly.bash").at("usr/share/bash-completion/completions/mayfly"));
        items.add(archive.file("completion/mayfly.fish").at("usr/share/fish/vendor_completions.d/mayfly.fish"));
        items.add(archive.file("completion/mayfly.zsh").at(family.zsh));
        items.add(new Regular("usr/share/doc/mayfly/" + BillOfMaterials.FILE_NAME, 0644, bill));
        items.add(new Regular(family.licenses, 0644, licenses()));
        items.sort(Comparator.comparing(item -> Path.of(item.path())));
        return List.copyOf(items);
    }

    private Path licenses() throws IOException {
        return Files.writeString(
                work.resolve("licenses"), """
                    The files of Mayfly's archive are installed in the folder /usr/lib/mayfly. In the following text,
                    "this archive" means that folder, and "this folder" means /usr/lib/mayfly/licenses.

                    """ + archive.text("licenses/README.txt") + "\n" + archive.text("LICENSE"));
    }

    private Regular compressed(String path, Regular file) throws IOException {
        Path target = work.resolve(Path.of(path).getFileName());
        GzipParameters parameters = new GzipParameters();
        parameters.setCompressionLevel(Deflater.BEST_COMPRESSION);
        try (OutputStream out = new GzipCompressorOutputStream(Files.newOutputStream(target), parameters)) {
            Files.copy(file.content(), out);
        }
        return new Regular(path, file.mode(), target);
    }
}
