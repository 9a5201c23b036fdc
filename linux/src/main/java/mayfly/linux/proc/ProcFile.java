package mayfly.linux.proc;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;

/** Reads files of proc(5) as a whole, up to a bound. */
public final class ProcFile {
    private ProcFile() {}

    /**
     * Returns the whole file.
     *
     * @throws NoSuchFileException if it does not exist any more
     * @throws IOException if it cannot be read or exceeds the limit
     */
    public static byte[] bytes(String path, int limit) throws IOException {
        byte[] bytes;
        try (InputStream in = new FileInputStream(path)) {
            bytes = in.readNBytes(limit + 1);
        } catch (IOException e) {
            // Java gives the reason in the user's language only, so test the existence instead.
            throw new File(path).exists() ? e : new NoSuchFileException(path);
        }
        if (bytes.length > limit) {
            throw new IOException(path + " is longer than " + limit + " bytes");
        }
        return bytes;
    }

    /**
     * Returns the whole file as UTF-8 text.
     *
     * @throws NoSuchFileException if it does not exist any more
     * @throws IOException if it cannot be read or exceeds the limit
     */
    public static String text(String path, int limit) throws IOException {
        return new String(bytes(path, limit), StandardCharsets.UTF_8);
    }

    /**
     * Returns a small file without its final newline.
     *
     * @throws IOException if it cannot be read
     */
    public static String line(String path) throws IOException {
        return text(path, 1 << 16).stripTrailing();
    }

    /** Returns the number in a file of /proc/sys, or {@code otherwise} if the file is missing or unreadable. */
    public static long number(String path, long otherwise) {
        try {
            return Long.parseLong(line(path));
        } catch (IOException | NumberFormatException e) {
            return otherwise;
        }
    }

    /** Returns true if the error means that the process, the thread or the file has disappeared. */
    public static boolean isGone(IOException e) {
        return e instanceof NoSuchFileException;
    }
}
