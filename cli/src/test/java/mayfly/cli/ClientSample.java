package mayfly.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * JSON that the command prints, in files that the tests of the client read: a change of the JSON is noticed on both
 * sides. {@code -Dgolden=write} rewrites the files.
 */
public final class ClientSample {
    private static final Path FOLDER = Path.of("..", "client", "src", "test", "resources", "samples");

    private ClientSample() {}

    /** Asserts that a text equals the file, except for a line feed at the end. */
    public static void compare(String name, String json) throws IOException {
        Path file = FOLDER.resolve(name);
        String text = json.strip() + "\n";
        if ("write".equals(System.getProperty("golden"))) {
            Files.createDirectories(FOLDER);
            Files.writeString(file, text);
        }
        assertThat(file)
                .as("rewritten by: mvn -pl cli -am verify -Dgolden=write")
                .content()
                .isEqualTo(text);
    }
}
