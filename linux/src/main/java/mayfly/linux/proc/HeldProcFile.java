package mayfly.linux.proc;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;

/**
 * A short file of proc(5) that is kept open because it is read repeatedly. Belongs to one thread.
 *
 * <p>It is read by a native method of the JDK and not by {@link mayfly.linux.sys.Syscall}, because threads may be held
 * meanwhile: in code that is not compiled yet, this takes a fraction of the time.
 */
public final class HeldProcFile implements AutoCloseable {
    private static final int MAX_LENGTH = 4096;

    private final RandomAccessFile file;
    private final byte[] text = new byte[MAX_LENGTH];

    private HeldProcFile(RandomAccessFile file) {
        this.file = file;
    }

    /**
     * Opens a file.
     *
     * @throws IOException if it cannot be opened
     */
    public static HeldProcFile open(String path) throws IOException {
        return new HeldProcFile(new RandomAccessFile(path, "r"));
    }

    /**
     * Returns its current content, without the final newline.
     *
     * @throws IOException if it cannot be read, for example because the process has ended
     */
    public String line() throws IOException {
        file.seek(0);
        int read = Math.max(0, file.read(text));
        return new String(text, 0, read, StandardCharsets.UTF_8).stripTrailing();
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            // A file of proc(5) is only read, so nothing is lost.
        }
    }
}
