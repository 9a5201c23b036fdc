package mayfly.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import mayfly.profile.BadCapture;
import mayfly.profile.CaptureReader;
import mayfly.profile.Profile;
import mayfly.sampler.NamelessFile;
import org.jspecify.annotations.Nullable;

/**
 * The capture while it is being recorded. One that is wanted has a name from the start, because what there is of it can
 * be read whatever happens; of any other nothing stays, however we end.
 */
final class CaptureFile implements AutoCloseable {
    private final Path path;
    private final boolean isWanted;
    private final @Nullable NamelessFile nameless;
    /** Reads what has lost its name. */
    private @Nullable InputStream reader;

    private CaptureFile(Path path, boolean isWanted, @Nullable NamelessFile nameless) {
        this.path = path;
        this.isWanted = isWanted;
        this.nameless = nameless;
    }

    /** @param isWanted whether the output is to be a capture */
    static CaptureFile beside(OutputFile output, boolean isWanted) throws CommandFailed {
        NamelessFile nameless = isWanted && output.isRegular() ? null : output.nameless();
        return new CaptureFile(nameless == null ? output.part("capture") : nameless.path(), isWanted, nameless);
    }

    /** Where it is written to. Nothing is there yet, or an empty file. */
    Path path() {
        return path;
    }

    /**
     * To be called when it has been opened for writing: if the file system has no nameless files, it loses its name
     * now.
     */
    void isOpen() throws IOException {
        if (nameless == null && !isWanted) {
            reader = Files.newInputStream(path);
            Files.delete(path);
        }
    }

    Profile read() throws CommandFailed {
        return read(path, reader);
    }

    static Profile read(Path capture) throws CommandFailed {
        return read(capture, null);
    }

    private static Profile read(Path capture, @Nullable InputStream opened) throws CommandFailed {
        try {
            return opened == null ? CaptureReader.read(capture) : CaptureReader.read(opened);
        } catch (IOException e) {
            throw Message.INPUT.with(capture, OutputFile.reason(e));
        } catch (BadCapture e) {
            throw Message.NOT_A_CAPTURE.with(capture, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void close() {
        if (nameless != null) {
            nameless.close();
        }
        try {
            if (reader != null) {
                reader.close();
            }
        } catch (IOException e) {
            reader = null; // it was only read: nothing can have been lost
        }
    }
}
