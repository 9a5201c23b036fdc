package mayfly.linux.proc;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.function.Consumer;

/**
 * Reads a file of proc(5) line by line, so that the memory used does not depend on the file's size. This class bounds
 * the length of a line, and the caller bounds the size of the file.
 */
public final class ProcLines {
    /** Upper bound on a line: a path has at most 4096 bytes, each of which the kernel may print as four. */
    private static final int MAX_LENGTH = 4 * 4096 + 1024;

    private static final int BLOCK = 1 << 16;

    private ProcLines() {}

    /**
     * Passes each line of a file, without its newline, to a consumer.
     *
     * @param most upper bound on the bytes read
     * @throws NoSuchFileException if the file does not exist any more
     * @throws ProcFileTooLarge if the file is larger
     * @throws IOException if the file cannot be read, or has a line longer than the kernel prints
     */
    static void of(String path, long most, Consumer<String> line) throws IOException {
        try (InputStream in = new FileInputStream(path)) {
            of(in, path, most, line);
        } catch (ProcFileTooLarge e) {
            throw e;
        } catch (IOException e) {
            // Java gives the reason in the user's language only, so test the existence instead.
            throw new File(path).exists() ? e : new NoSuchFileException(path);
        }
    }

    /**
     * Passes each line of a file of any size to a consumer.
     *
     * @throws IOException if the file cannot be read
     */
    public static void of(String path, Consumer<String> line) throws IOException {
        of(path, Long.MAX_VALUE, line);
    }

    /** Passes each line of a text to a consumer. */
    static void ofText(String text, Consumer<String> line) throws IOException {
        of(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "the text", Long.MAX_VALUE, line);
    }

    /** Passes each line of a stream to a consumer; does not close the stream. */
    static void of(InputStream in, String what, long most, Consumer<String> line) throws IOException {
        byte[] block = new byte[BLOCK];
        int length = 0;
        long left = most;
        for (int read = in.read(block, 0, BLOCK); read >= 0; read = in.read(block, length, BLOCK - length)) {
            left -= read;
            if (left < 0) {
                throw new ProcFileTooLarge(what + " has more than " + (most >> 20) + " MiB");
            }
            int from = length;
            length += read;
            int begin = 0;
            for (int i = from; i < length; i++) {
                if (block[i] == '\n') {
                    line.accept(new String(block, begin, i - begin, StandardCharsets.UTF_8));
                    begin = i + 1;
                }
            }
            length -= begin;
            System.arraycopy(block, begin, block, 0, length);
            if (length > MAX_LENGTH) {
                throw new IOException(what + " has a line of more than " + MAX_LENGTH + " bytes");
            }
        }
        if (length > 0) {
            line.accept(new String(block, 0, length, StandardCharsets.UTF_8));
        }
    }
}
