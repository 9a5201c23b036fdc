package mayfly.profilers.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Files to which a profiler appends what happens to it, because nothing else remains of it after a detach. */
final class Calls {
    private Calls() {}

    /** Appends a callback to the file that the property {@code mayfly.testing.calls} names, if there is one. */
    static void add(String callback) {
        String file = System.getProperty("mayfly.testing.calls");
        append(file == null ? null : Path.of(file), callback + '\n');
    }

    /** Appends words to a file, if there is one. */
    static void append(Path file, String words) {
        if (file != null) {
            try {
                Files.writeString(file, words, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
