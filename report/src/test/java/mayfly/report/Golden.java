package mayfly.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Expected output in files. {@code -Dgolden=write} rewrites them; the difference is reviewed like code. */
final class Golden {
    private static final Path FOLDER = Path.of("src/test/resources/golden");

    static void compare(String name, String actual) throws IOException {
        Path file = FOLDER.resolve(name);
        if ("write".equals(System.getProperty("golden"))) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, actual);
        }
        assertThat(file).as("rewrite with -Dgolden=write").exists();
        assertThat(actual).as(name).isEqualTo(Files.readString(file));
    }

    private Golden() {}
}
