package mayfly.packages;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import mayfly.packages.Item.Folder;
import mayfly.packages.Item.Link;
import mayfly.packages.Item.Regular;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;

/**
 * The archive that {@code mayfly dist} makes, unpacked. The packages have its bytes, modes and times, because the
 * start-up cache is valid only for jars with the recorded sizes and times.
 *
 * @param items the items, with paths relative to the folder in the archive; that folder is not among them
 * @param time the modification time of every file
 */
record Archive(List<Item> items, Instant time) {
    private static final long MAX_BYTES = 1L << 30;
    private static final int PERMISSIONS = 0777;

    static Archive unpack(Path file, Path folder) throws IOException {
        List<Item> items = new ArrayList<>();
        Instant time = Instant.EPOCH;
        long bytes = 0;
        try (InputStream in = Files.newInputStream(file);
                TarArchiveInputStream tar = new TarArchiveInputStream(new GzipCompressorInputStream(in))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                time = entry.getLastModifiedTime().toInstant();
                String path = pathInFolder(entry.getName());
                if (path.isEmpty()) {
                    continue;
                }
                bytes += entry.getSize();
                if (bytes > MAX_BYTES) {
                    throw new IOException(file + " has more than " + MAX_BYTES + " bytes");
                }
                items.add(unpack(entry, path, tar, folder.resolve(path)));
            }
        }
        return new Archive(List.copyOf(items), time);
    }

    private static Item unpack(TarArchiveEntry entry, String path, InputStream content, Path target)
            throws IOException {
        int mode = entry.getMode() & PERMISSIONS;
        if (entry.isDirectory()) {
            Files.createDirectories(target);
            return new Folder(path, mode);
        }
        if (entry.isSymbolicLink()) {
            return new Link(path, entry.getLinkName());
        }
        if (entry.getLinkFlag() != TarConstants.LF_NORMAL && entry.getLinkFlag() != TarConstants.LF_OLDNORM) {
            throw new IOException(entry.getName() + " is neither a file, a folder nor a symbolic link");
        }
        Files.createDirectories(target.getParent());
        Files.copy(content, target);
        return new Regular(path, mode, target);
    }

    /** Removes the first component, which is the folder that contains all files. */
    private static String pathInFolder(String name) throws IOException {
        Path path = Path.of(name);
        if (path.isAbsolute() || !path.equals(path.normalize()) || path.startsWith("..")) {
            throw new IOException("not a path in a folder: " + name);
        }
        return path.getNameCount() == 1
                ? ""
                : path.subpath(1, path.getNameCount()).toString();
    }

    Regular file(String path) throws IOException {
        for (Item item : items) {
            if (item instanceof Regular regular && regular.path().equals(path)) {
                return regular;
            }
        }
        throw new IOException("the archive has no file " + path);
    }

    String text(String path) throws IOException {
        return Files.readString(file(path).content());
    }

    /** Items at or below a folder; their paths remain those of the archive. */
    List<Item> below(String folder) {
        return items.stream().filter(item -> isIn(item.path(), folder)).toList();
    }

    /** Items outside of all these folders. */
    List<Item> outside(List<String> folders) {
        return items.stream()
                .filter(item -> folders.stream().noneMatch(folder -> isIn(item.path(), folder)))
                .toList();
    }

    private static boolean isIn(String path, String folder) {
        return path.equals(folder) || path.startsWith(folder + "/");
    }
}
