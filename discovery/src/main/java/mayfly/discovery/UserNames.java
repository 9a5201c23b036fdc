package mayfly.discovery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** User names of this machine, see passwd(5). Users of a directory service are shown as numbers. */
final class UserNames {
    private static final int MAX_NAMES = 100_000;

    private final Map<String, String> names;

    private UserNames(Map<String, String> names) {
        this.names = names;
    }

    static UserNames read() {
        var names = new HashMap<String, String>();
        // Latin-1 decodes any bytes.
        try (Stream<String> lines = Files.lines(Path.of("/etc/passwd"), StandardCharsets.ISO_8859_1)) {
            lines.limit(MAX_NAMES)
                    .map(line -> line.split(":", 4))
                    .filter(cells -> cells.length == 4)
                    .forEach(cells -> names.putIfAbsent(cells[2], cells[0]));
        } catch (IOException | UncheckedIOException e) {
            return new UserNames(Map.of());
        }
        return new UserNames(names);
    }

    String nameOf(int uid) {
        String number = Integer.toUnsignedString(uid);
        return names.getOrDefault(number, number);
    }
}
