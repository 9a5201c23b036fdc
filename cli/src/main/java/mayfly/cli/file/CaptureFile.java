package mayfly.cli.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import mayfly.cli.output.CommandFailed;
import mayfly.linux.sys.UnnamedFile;
import org.jspecify.annotations.Nullable;

/**
 * The capture while it is being recorded. One that is wanted has a name from the start, because what there is of it can
 * be read whatever happens. Any other has none: nothing of it stays when the process is killed, and it gets a name if
 * what was to be made of it could not be made.
 */
public final class CaptureFile implements AutoCloseable {
    private final OutputFile output;
    private final Path part;
    private final boolean isWanted;
    private @Nullable UnnamedFile nameless;
    /** Whether the nameless file had a name, which it cannot have again. */
    private boolean wasNamed;
    private @Nullable Path kept;

    private CaptureFile(OutputFile output, Path part, boolean isWanted, @Nullable UnnamedFile nameless) {
        this.output = output;
        this.part = part;
        this.isWanted = isWanted;
        this.nameless = nameless;
    }

    /** @param isWanted whether the output is to be a capture */
    public static CaptureFile beside(OutputFile output, boolean isWanted) throws CommandFailed {
        UnnamedFile nameless = isWanted && output.isRegular() ? null : output.nameless();
        return new CaptureFile(output, nameless == null ? output.part("capture") : nameless.path(), isWanted, nameless);
    }

    /** Where it is written to and read from. */
    public synchronized Path path() {
        return nameless == null ? part : nameless.path();
    }

    /**
     * To be called when it has been opened for writing: if the file system has no nameless files, it loses its name
     * now.
     */
    public synchronized void isOpen() throws IOException {
        if (nameless == null && !isWanted) {
            nameless = UnnamedFile.unlink(part);
            wasNamed = true;
        }
    }

    /**
     * Gives the capture a name that is free, so that it stays; the same one when it is called again. May be called from
     * any thread.
     *
     * @param fileName the name if it is free, in the folder of the output
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
            // The folder may have been removed, or be full.
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
