package mayfly.linux.proc;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;

/** Reads files of proc(5), whole and bounded. */
public final class ProcFile {
    private ProcFile() {
    }

    /** The whole file; NoSuchFileException if it is not there any more. */
    public static byte[] bytes(String path, int limit) throws IOException {
        byte[] bytes;
        try (InputStream in = new FileInputStream(path)) {
            bytes = in.readNBytes(limit + 1);
        } catch (IOException e) {
            // Java tells the reason in the user's language only, so ask again.
            throw new File(path).exists() ? e : new NoSuchFileException(path);
        }
        if (bytes.length > limit) {
            throw new IOException(path + " is longer than " + limit + " bytes");
        }
        return bytes;
    }

    public static String text(String path, int limit) throws IOException {
        return new String(bytes(path, limit), StandardCharsets.UTF_8);
    }

    /** A small file without its final newline. */
    public static String line(String path) throws IOException {
        return text(path, 1 << 16).stripTrailing();
    }

    /** The number in a file of /proc/sys, or the other value if it is not there or not readable. */
    public static long number(String path, long otherwise) {
        try {
            return Long.parseLong(line(path));
        } catch (IOException | NumberFormatException e) {
            return otherwise;
        }
    }

    /** Whether the reason is that the process, the thread or the file went away. */
    public static boolean isGone(IOException e) {
        return e instanceof NoSuchFileException;
    }
}
