package mayfly.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of docs/formats: below each heading, the fields of one kind of object with their types. */
public final class JsonPage {
    private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\| ([^|]+) \\| .*");

    private final Map<String, Map<String, String>> sections = new LinkedHashMap<>();

    private JsonPage() {}

    public static JsonPage read(String name) throws IOException {
        var page = new JsonPage();
        String heading = "";
        for (String line : Files.readAllLines(Path.of("..", "docs", "formats", name))) {
            Matcher row = ROW.matcher(line);
            if (line.startsWith("## ")) {
                heading = line.substring(3);
            } else if (row.matches()) {
                page.sections
                        .computeIfAbsent(heading, h -> new LinkedHashMap<>())
                        .put(row.group(1), row.group(2));
            }
        }
        return page;
    }

    /** Asserts that the object has exactly the fields of that section, in its order and with its types. */
    public void assertShape(String section, JsonNode object, String... optional) {
        Map<String, String> expected = new LinkedHashMap<>(sections.getOrDefault(section, Map.of()));
        assertThat(expected).as("a table below '" + section + "'").isNotEmpty();
        for (String field : optional) {
            if (!object.has(field)) {
                expected.remove(field);
            }
        }
        Map<String, String> actual = new LinkedHashMap<>();
        object.fields()
                .forEachRemaining(field ->
                        actual.put(field.getKey(), type(field.getValue(), expected.getOrDefault(field.getKey(), ""))));
        assertThat(actual.entrySet()).as(object.toString()).containsExactlyElementsOf(expected.entrySet());
    }

    private static String type(JsonNode value, String documented) {
        if (!value.isArray()) {
            return switch (value.getNodeType()) {
                case STRING, BOOLEAN, OBJECT -> value.getNodeType().toString().toLowerCase(Locale.ROOT);
                case NUMBER ->
                    value.isIntegralNumber() ? "number" : value.getNodeType().toString();
                default -> value.getNodeType().toString();
            };
        }
        // For an empty array, any element type is correct.
        String elements = documented.startsWith("array of ") ? documented.substring("array of ".length()) : "?";
        for (JsonNode element : value) {
            elements = type(element, "") + "s";
        }
        return "array of " + elements;
    }
}
