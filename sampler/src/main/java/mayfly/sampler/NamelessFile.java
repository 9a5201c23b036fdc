package mayfly.sampler;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import mayfly.linux.Tmpfile;

/** A file of which nothing stays unless it is given a name, however we end. */
public final class NamelessFile implements AutoCloseable {
    private final Tmpfile file;

    private NamelessFile(Tmpfile file) {
        this.file = file;
    }

    /**
     * A new, empty file in the file system of a directory; empty if there can be none. NFS and FAT have none, nor
     * overlays before Linux 6.3, nor a directory that may not be written.
     */
    public static Optional<NamelessFile> in(Path directory) {
        try {
            return Optional.of(new NamelessFile(Tmpfile.in(directory)));
        } catch (IOException e) {
            return Optional.empty(); // a file with a name must do; if that fails too, its reason is the better one
        }
    }

    /**
     * Removes a file's only name: it stays until this is closed, and cannot be {@linkplain #link linked} again. For file
     * systems that have no nameless files.
     */
    public static NamelessFile unlink(Path file) throws IOException {
        var held = new NamelessFile(Tmpfile.of(file));
        try {
            Files.delete(file);
            return held;
        } catch (IOException e) {
            held.close();
            throw e;
        }
    }

    /** Through which it is opened for reading and writing, until it is closed. */
    public Path path() {
        return file.path();
    }

    /**
     * Gives it its name in one step.
     *
     * @throws FileAlreadyExistsException if the name is taken
     */
    public void link(Path name) throws IOException {
        file.link(name);
    }

    @Override
    public void close() {
        file.close();
    }
}
