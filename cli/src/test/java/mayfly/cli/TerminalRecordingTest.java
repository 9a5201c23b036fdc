package mayfly.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The recording that docs/record-terminal made can be played, and its commands are those of this version. */
class TerminalRecordingTest {
    private static final Path CAST = Path.of("").toAbsolutePath().getParent().resolve("docs/mayfly.cast");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<JsonNode> events = new ArrayList<>();
    private final StringBuilder shown = new StringBuilder();
    private JsonNode header = JSON.nullNode();

    @BeforeEach
    void read() throws IOException {
        List<String> lines = Files.readAllLines(CAST);
        header = JSON.readTree(lines.getFirst());
        for (String line : lines.subList(1, lines.size())) {
            JsonNode event = JSON.readTree(line);
            events.add(event);
            shown.append(event.get(2).asText());
        }
    }

    @Test
    void recordingIsAnAsciicastOfAboutAMinute() throws IOException {
        assertThat(header.get("version").asInt()).isEqualTo(2);
        assertThat(header.get("width").asInt()).isEqualTo(100);
        assertThat(events)
                .allMatch(event -> event.size() == 3 && event.get(1).asText().equals("o"));
        assertThat(events).extracting(event -> event.get(0).asDouble()).isSorted();
        assertThat(events.getLast().get(0).asDouble()).isBetween(40.0, 90.0);
        assertThat(Files.size(CAST)).isLessThan(300_000);
    }

    @Test
    void everyTypedCommandParses() {
        List<String> commands = shown.toString()
                .lines()
                .filter(line -> line.startsWith("$ "))
                .flatMap(line -> PageCommandsTest.commands("    " + line).stream())
                .toList();
        assertThat(commands)
                .extracting(command ->
                        command.substring(0, command.indexOf(' ') + 1).strip())
                .contains("record", "report", "stack", "audit", "attach", "status", "detach");
        assertThat(commands)
                .allSatisfy(
                        command -> assertThat(PageCommandsTest.mistake(command)).isNull());
    }

    @Test
    void recordingShowsNoPathOfItsAuthor() {
        assertThat(shown).doesNotContain("/home/", "/root", "/work", "/tmp");
    }
}
