package mayfly.client.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonParser.Feature;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Valid, invalid and hostile texts. Jackson's parser decides what is valid. */
class JsonParserTest {
    private static final ObjectMapper JACKSON = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(Feature.STRICT_DUPLICATE_DETECTION);
    private static final String SAMPLE = "{\"a\":[1,-2,0,9223372036854775807,9223372036854775808,-1.5e+3,1E2],"
            + "\"b\" : {\"\":null,\"x\":true,\"y\":false},\n\t"
            + "\"c\":\"\\u00e4\\\\\\\"\\/\\b\\f\\n\\r\\t\\ud83d\\ude00 é\","
            + "\"d\":[],\"e\":{}, \"f\":[[[{}]]]}\r\n";
    private static final String ALPHABET = "{}[]\",:\\u0123456789eE+-.tfn ax\n\u0001é";
    private static final int MUTATIONS = 20_000;

    private static Optional<Object> parsed(String text) {
        try {
            return Optional.of(JsonParser.parse(text));
        } catch (BadJson e) {
            return Optional.empty();
        }
    }

    private static Optional<Object> expected(String text) {
        try {
            JsonNode node = JACKSON.readTree(text);
            return node.isMissingNode() ? Optional.empty() : Optional.of(plain(node));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    private static Object plain(JsonNode node) {
        if (node.isObject()) {
            Map<String, Object> fields = new LinkedHashMap<>();
            node.fields().forEachRemaining(field -> fields.put(field.getKey(), plain(field.getValue())));
            return fields;
        }
        if (node.isArray()) {
            List<Object> elements = new ArrayList<>();
            node.forEach(element -> elements.add(plain(element)));
            return elements;
        }
        if (node.isNumber()) {
            boolean isLong = node.isIntegralNumber() && node.canConvertToLong();
            return isLong ? (Object) node.longValue() : (Object) node.doubleValue();
        }
        if (node.isNull()) {
            return JsonParser.NULL;
        }
        return node.isBoolean() ? (Object) node.booleanValue() : node.textValue();
    }

    @Test
    void sampleOfEveryValueIsParsedAsJacksonParsesIt() {
        assertThat(parsed(SAMPLE)).isPresent().isEqualTo(expected(SAMPLE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[1,]",
                "{\"a\":1,}",
                "{\"a\"}",
                "{a:1}",
                "{\"a\":1,\"a\":2}",
                "[1 2]",
                "01",
                "-",
                "1.",
                ".5",
                "+1",
                "1e",
                "NaN",
                "nul",
                "tru e",
                "\"",
                "\"\\",
                "\"\\u12\"",
                "\"\\u12g4\"",
                "\"\\x\"",
                "\"\n\"",
                "\"\u0000\"",
                "1 2",
                "{}}",
                "'a'",
                "[\"\\uff11\\u\"]",
                "\"\\u\uff11\uff11\uff11\uff11\"",
                "\ufeff1"
            })
    void malformedTextIsRefused(String text) {
        assertThatThrownBy(() -> JsonParser.parse(text))
                .isInstanceOf(BadJson.class)
                .hasMessageContaining(" at ");
        assertThat(expected(text)).isEmpty();
    }

    @Test
    void everyTruncatedSampleIsRefused() {
        String sample = SAMPLE.strip();
        for (int length = 0; length < sample.length(); length++) {
            assertThat(parsed(sample.substring(0, length)))
                    .as("the first %d characters", length)
                    .isEmpty();
        }
    }

    @Test
    void nestingIsParsedUpToItsLimitOnly() throws BadJson {
        int limit = JsonParser.MAX_DEPTH;
        assertThat(JsonParser.parse("[".repeat(limit) + "1" + "]".repeat(limit)))
                .isNotNull();
        assertThatThrownBy(() -> JsonParser.parse("[".repeat(limit + 1) + "1" + "]".repeat(limit + 1)))
                .hasMessageContaining("levels");
        assertThatThrownBy(() -> JsonParser.parse("{\"a\":".repeat(1_000_000))).hasMessageContaining("levels");
    }

    @Test
    void longNumberIsParsedWithoutDelay() throws BadJson {
        assertThat(JsonParser.parse("1" + "0".repeat(1_000_000))).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(JsonParser.parse("-0")).isEqualTo(0L);
    }

    @Test
    void mutatedSamplesAreAcceptedExactlyIfJacksonAcceptsThem() {
        var random = new SplittableRandom(20260127);
        int accepted = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            var text = new StringBuilder(SAMPLE);
            for (int change = random.nextInt(1, 4); change > 0; change--) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(3)) {
                    case 0 -> text.deleteCharAt(at);
                    case 1 -> text.insert(at, ALPHABET.charAt(random.nextInt(ALPHABET.length())));
                    default -> text.setCharAt(at, ALPHABET.charAt(random.nextInt(ALPHABET.length())));
                }
            }
            assertThat(parsed(text.toString())).as("%s", text).isEqualTo(expected(text.toString()));
            accepted += parsed(text.toString()).isPresent() ? 1 : 0;
        }
        assertThat(accepted).isBetween(MUTATIONS / 20, MUTATIONS / 2);
    }
}
