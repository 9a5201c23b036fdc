package mayfly.cli.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import mayfly.cli.output.CommandFailed;
import mayfly.linux.proc.AvailableMemory;
import mayfly.linux.sys.NewFile;
import org.jspecify.annotations.Nullable;

/**
 * The capture during a recording. If the capture is the requested output, it has a name from the start, because a
 * partial capture is readable. Otherwise it has no name: nothing remains of it if the process is killed, and it gets a
 * name only if the requested output cannot be created from it. If the output is a stream and no temporary file can be
 * created, as in a container with read-only file systems, the capture is in memory.
 */
public final class CaptureFile implements AutoCloseable {
    /** A capture in memory takes at most the available memory divided by this number. */
    private static final int SHARE = 4;

    private final OutputFile output;
    private final NewFile file;
    /** The file's temporary name; null if it has none. */
    private final @Nullable Path part;
    /** True if the unnamed file cannot get a name, because it once had one or is in memory. */
    private final boolean wasNamed;
    /** The size in bytes at which a capture in memory is full; 0 for one in a file system. */
    private final long maxInMemory;

    private @Nullable Path kept;

    private CaptureFile(OutputFile output, NewFile file, @Nullable Path part, boolean wasNamed, long maxInMemory) {
        this.output = output;
        this.file = file;
        this.part = part;
        this.wasNamed = wasNamed;
        this.maxInMemory = maxInMemory;
    }

    /**
     * Creates a capture file in the directory of the output.
     *
     * @param isWanted true if the output itself is to be a capture
     * @throws CommandFailed if the file cannot be created
     */
    public static CaptureFile beside(OutputFile output, boolean isWanted) throws CommandFailed {
        boolean isNamed = isWanted && output.isRegular();
        NewFile nameless = isNamed ? null : output.nameless();
        if (nameless != null) {
            return new CaptureFile(output, nameless, null, false, 0);
        }
        Path part = output.part("capture");
        try {
            NewFile file = output.create(part);
            if (!isNamed) {
                Files.delete(part);
            }
            return new CaptureFile(output, file, isNamed ? part : null, !isNamed, 0);
        } catch (IOException e) {
            return inMemory(output, output.uncreated(part, e));
        }
    }

    private static CaptureFile inMemory(OutputFile output, CommandFailed failure) throws CommandFailed {
        if (output.isRegular()) {
            throw failure;
        }
        try {
            return inMemory(
                    output,
                    AvailableMemory.now(Runtime.getRuntime().maxMemory()).bytes() / SHARE + 1);
        } catch (IOException e) {
            failure.addSuppressed(e);
            throw failure;
        }
    }

    static CaptureFile inMemory(OutputFile output, long maxInMemory) throws IOException {
        return new CaptureFile(output, NewFile.inMemory("mayfly-capture"), null, true, maxInMemory);
    }

    /** Returns true if the capture takes memory instead of space in a file system. */
    public boolean isInMemory() {
        return maxInMemory > 0;
    }

    /**
     * Returns true if the capture is in memory and takes a quarter of the memory that was available: a recording should
     * end, because the target may share the memory, and the rendering needs some too.
     */
    public boolean isFull() {
        return isInMemory() && bytes() >= maxInMemory;
    }

    /** Returns the present size. */
    public long bytes() {
        return path().toFile().length();
    }

    /** Returns the path for writing and reading. It leads to this file even if another file has replaced its name. */
    public Path path() {
        return file.path();
    }

    /**
     * Gives the capture its final name and returns its path.
     *
     * @throws CommandFailed if the name cannot be given
     */
    public Path commit() throws CommandFailed {
        return output.commit(Objects.requireNonNull(part));
    }

    /**
     * Gives the capture an unused name, so that it is kept; returns the same name on later calls. May be called from
     * any thread.
     *
     * @param fileName the preferred name, in the directory of the output
     * @throws IOException if the capture cannot be copied
     * @throws CommandFailed if no name can be used
     */
    public synchronized Path keep(String fileName) throws IOException, CommandFailed {
        if (kept == null) {
            kept = keepIn(output.directory(), fileName);
        }
        return kept;
    }

    private Path keepIn(Path folder, String fileName) throws IOException, CommandFailed {
        try (OutputFile named =
                OutputFile.withGeneratedName(folder.resolve(fileName).toString())) {
            if (part != null) {
                return named.commit(part);
            }
            return wasNamed ? named.writeForOwner(out -> Files.copy(path(), out)) : named.commit(file);
        } catch (IOException | CommandFailed e) {
            // The directory may have been removed, or the file system may be full.
            Path other = Path.of(System.getProperty("java.io.tmpdir"));
            try (OutputFile named =
                    OutputFile.withGeneratedName(other.resolve(fileName).toString())) {
                return named.writeForOwner(out -> Files.copy(path(), out));
            } catch (CommandFailed second) {
                second.addSuppressed(e);
                throw second;
            }
        }
    }

    @Override
    public synchronized void close() {
        file.close();
    }
}
