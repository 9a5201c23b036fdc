package mayfly.cli.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import mayfly.cli.output.CommandFailed;
import mayfly.linux.sys.UnnamedFile;
import org.jspecify.annotations.Nullable;

/**
 * The capture during a recording. If the capture is the requested output, it has a name from the start, because a
 * partial capture is readable. Otherwise it has no name: nothing remains of it if the process is killed, and it gets a
 * name only if the requested output cannot be created from it.
 */
public final class CaptureFile implements AutoCloseable {
    private final OutputFile output;
    private final Path part;
    private final boolean isWanted;
    private @Nullable UnnamedFile nameless;
    /** True if the unnamed file once had a name; then it cannot get one again. */
    private boolean wasNamed;
    private @Nullable Path kept;

    private CaptureFile(OutputFile output, Path part, boolean isWanted, @Nullable UnnamedFile nameless) {
        this.output = output;
        this.part = part;
        this.isWanted = isWanted;
        this.nameless = nameless;
    }

    /**
     * Creates a capture file in the directory of the output.
     *
     * @param isWanted true if the output itself is to be a capture
     * @throws CommandFailed if the file cannot be created
     */
    public static CaptureFile beside(OutputFile output, boolean isWanted) throws CommandFailed {
        UnnamedFile nameless = isWanted && output.isRegular() ? null : output.nameless();
        return new CaptureFile(output, nameless == null ? output.part("capture") : nameless.path(), isWanted, nameless);
    }

    /** Returns the path for writing and reading. */
    public synchronized Path path() {
        return nameless == null ? part : nameless.path();
    }

    /**
     * Must be called after the capture has been opened for writing: if the file system does not support unnamed files,
     * the name is removed now.
     *
     * @throws IOException if the name cannot be removed
     */
    public synchronized void isOpen() throws IOException {
        if (nameless == null && !isWanted) {
            nameless = UnnamedFile.unlink(part);
            wasNamed = true;
        }
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
        try (OutputFile file = OutputFile.unnamed(folder.resolve(fileName).toString())) {
            if (nameless == null) {
                return file.commit(part);
            }
            return wasNamed ? file.writeForOwner(out -> Files.copy(path(), out)) : file.commit(nameless);
        } catch (IOException | CommandFailed e) {
            // The directory may have been removed, or the file system may be full.
            Path other = Path.of(System.getProperty("java.io.tmpdir"));
            try (OutputFile file = OutputFile.unnamed(other.resolve(fileName).toString())) {
                return file.writeForOwner(out -> Files.copy(path(), out));
            } catch (CommandFailed second) {
                second.addSuppressed(e);
                throw second;
            }
        }
    }

    @Override
    public synchronized void close() {
        if (nameless != null) {
            nameless.close();
        }
    }
}
