package mayfly.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.Unit;
import mayfly.report.json.Json;
import mayfly.report.tree.ConversionOptions;
import mayfly.report.tree.SafeText;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Names that consist of characters with a meaning in a format. Each file is parsed again and must contain the original
 * names.
 */
class HostileNamesTest {
    private static final int RUNS = Boolean.getBoolean("mayfly.deep") ? 2_000 : 20;
    private static final ConversionOptions THREADS = new ConversionOptions(true, true, true, true, null);
    private static final int PPROF_STRINGS = 6;
    private static final String[] PARTS = {
        ";",
        "\\",
        "\"",
        "'",
        "&",
        "<",
        ">",
        "</script>",
        "<!--",
        "-->",
        "]]>",
        "<script>",
        "{{data}}",
        "${x}",
        "`",
        "\n",
        "\r",
        "\t",
        "\0",
        "\u001b[2J",
        "\u001b]0;t\u0007",
        "\u007f",
        "\u0085",
        "\u009b",
        "\u00a0",
        "\u200b",
        "\u200f",
        "\u2028",
        "\u2029",
        "\u202e",
        "\u2066",
        "\ufeff",
        "\ufffd",
        "\uffff",
        "\ud800",
        "\udc00",
        "\ud83d\ude00",
        "\udb40\udc41",
        "\ud834\udd73",
        "e\u0301",
        " ",
        "  ",
        " 12",
        ".",
        "/",
        "(",
        ")",
        "[k]",
        "_[k]",
        "[broken:x]",
        ":42",
        "\\u003b",
        "\\n",
        "%s",
        "%n",
        "=",
        ",",
        "#",
        "|",
        "a",
        "Z",
        "0",
        "\u00e4",
        "\u6f22",
    };

    static List<Integer> seeds() {
        return new SplittableRandom(7).ints(RUNS).boxed().toList();
    }

    private static String name(SplittableRandom random) {
        var text = new StringBuilder();
        for (int parts = random.nextInt(1, random.nextInt(8) == 0 ? 60 : 6); parts > 0; parts--) {
            text.append(
                    random.nextInt(10) == 0
                            ? String.valueOf((char) random.nextInt(1 << 16))
                            : PARTS[random.nextInt(PARTS.length)]);
        }
        return text.toString();
    }

    private static Profile hostile(int seed) throws IOException {
        var random = new SplittableRandom(seed);
        var recorded = new RecordingBuilder(Unit.NANOSECONDS, name(random), name(random));
        for (int stack = random.nextInt(1, 6); stack > 0; stack--) {
            var frames = new ArrayList<String>();
            for (int depth = random.nextInt(1, 6); depth > 0; depth--) {
                char kind = "012ijwsvnk".charAt(random.nextInt(10));
                frames.add(kind + " " + ("012ijw".indexOf(kind) >= 0 ? name(random) + "." : "") + name(random));
            }
            recorded.stack(name(random), random.nextInt(1, 4), frames.toArray(String[]::new));
        }
        return recorded.profile();
    }

    private static byte[] written(Profile profile, Format format) throws IOException {
        var out = new ByteArrayOutputStream();
        Conversion.write(profile, format, format == Format.COLLAPSED ? ConversionOptions.DEFAULT : THREADS, out);
        return out.toByteArray();
    }

    private static String text(Profile profile, Format format) throws IOException {
        return new String(written(profile, format), StandardCharsets.UTF_8);
    }

    /** Asserts that no character ends a line, moves the cursor, changes the direction of writing, or is invisible. */
    private static void assertVisible(String text) {
        assertThat(text.codePoints()
                        .filter(c -> switch (Character.getType(c)) {
                            case Character.CONTROL,
                                    Character.FORMAT,
                                    Character.LINE_SEPARATOR,
                                    Character.PARAGRAPH_SEPARATOR,
                                    Character.SURROGATE -> true;
                            default -> false;
                        })
                        .mapToObj(Integer::toHexString))
                .as(text)
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void collapsedLinesWithHostileNamesParseToTheStacks(int seed) throws IOException {
        Profile profile = hostile(seed);
        Set<List<String>> given = new HashSet<>();
        for (int sample = 0; sample < profile.sampleCount(); sample++) {
            given.add(profile.stack(sample).frames().stream()
                    .map(Frame::label)
                    .map(label -> label.isEmpty() ? "[unnamed]" : label)
                    .toList());
        }
        Set<List<String>> found = new HashSet<>();
        String all = text(profile, Format.COLLAPSED);
        assertThat(all).endsWith("\n");
        for (String line : all.substring(0, all.length() - 1).split("\n", -1)) {
            assertVisible(line);
            assertThat(line).matches("(?s).+ [0-9]+");
            found.add(List.of(line.substring(0, line.lastIndexOf(' ')).split(";", -1)).stream()
                    .map(HostileNamesTest::unescaped)
                    .toList());
        }
        assertThat(found).isEqualTo(given);
    }

    private static String unescaped(String label) {
        return Pattern.compile("\\\\u([0-9a-f]{4})")
                .matcher(label)
                .replaceAll(m -> Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(m.group(1), 16))));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void speedscopeFileWithHostileNamesParsesToTheNames(int seed) throws IOException {
        Profile profile = hostile(seed);
        String written = text(profile, Format.SPEEDSCOPE);
        assertThat(written).matches("[ -~]*\n");
        JsonNode file = new ObjectMapper().readTree(written);
        List<String> names = file.get("shared").get("frames").findValuesAsText("name");
        assertThat(names).allSatisfy(HostileNamesTest::assertVisible);
        assertContainsEach(names, labels(profile));
        for (JsonNode thread : file.get("profiles")) {
            assertVisible(thread.get("name").asText());
            assertThat(thread.get("samples")).hasSameSizeAs(thread.get("weights"));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void pprofFileWithHostileNamesParsesToTheNames(int seed) throws IOException {
        Profile profile = hostile(seed);
        byte[] plain;
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(written(profile, Format.PPROF)))) {
            plain = in.readAllBytes();
        }
        List<String> strings = new ArrayList<>();
        for (ByteString string :
                UnknownFieldSet.parseFrom(plain).getField(PPROF_STRINGS).getLengthDelimitedList()) {
            assertThat(string.isValidUtf8()).isTrue();
            strings.add(string.toStringUtf8());
        }
        assertThat(strings.getFirst()).isEmpty();
        assertThat(strings).allSatisfy(HostileNamesTest::assertVisible);
        assertContainsEach(strings, labels(profile));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void pageWithHostileNamesHasTheElementsOfAnyPage(int seed) throws Exception {
        Profile profile = hostile(seed);
        String page = text(profile, Format.FLAMEGRAPH);
        String harmless = text(new RecordingBuilder().stack("t", 1, "2 a.B.c").profile(), Format.FLAMEGRAPH);
        assertThat(elements(page)).isEqualTo(elements(harmless));
        assertVisible(page.replaceAll("[\n\t]", ""));
        Matcher data = Pattern.compile(">([A-Za-z0-9+/=\\s]{200,})</script>").matcher(page);
        assertThat(data.find()).isTrue();
        byte[] bytes = Base64.getMimeDecoder().decode(data.group(1));
        List<String> strings = new ArrayList<>();
        try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(bytes), new Inflater(true))) {
            for (long left = number(in); left > 0; left--) {
                strings.add(new String(in.readNBytes((int) number(in)), StandardCharsets.UTF_8));
            }
        }
        assertThat(strings).allSatisfy(HostileNamesTest::assertVisible);
        assertContainsEach(strings, labels(profile));
    }

    /** Returns the tags in order, without those of table cells, whose number depends on the names. */
    private static List<String> elements(String page) {
        String outsideScripts = page.replaceAll("(?s)(<script[^>]*>).*?(</script>)", "$1$2");
        return Pattern.compile("</?([a-z]+)")
                .matcher(outsideScripts)
                .results()
                .map(m -> m.group())
                .filter(tag -> !tag.matches("</?t[rdh]"))
                .toList();
    }

    private static long number(InputStream in) throws IOException {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            int b = in.read();
            assertThat(b).isNotNegative();
            value |= (b & 0x7fL) << shift;
            if (b < 0x80) {
                return value;
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void textReportWithHostileNamesHasVisibleLinesOnly(int seed) throws IOException {
        text(hostile(seed), Format.TEXT).lines().forEach(HostileNamesTest::assertVisible);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void jsonWithHostileNamesParsesToTheNames(int seed) throws IOException {
        var random = new SplittableRandom(seed);
        String key = name(random);
        String value = name(random);
        String json = new Json()
                .beginObject()
                .name(key)
                .beginArray()
                .value(value)
                .value(seed)
                .endArray()
                .endObject()
                .toString();
        assertThat(json).matches("[ -~]*");
        JsonNode parsed = new ObjectMapper().readTree(json);
        assertThat(parsed.fieldNames().next()).isEqualTo(key);
        assertThat(parsed.get(key).get(0).asText()).isEqualTo(value);
    }

    /** Returns the names as all formats show them; lines and signatures may follow them. */
    private static Set<String> labels(Profile profile) {
        return profile.frames().stream()
                .map(frame -> SafeText.visible(frame.label()))
                .filter(label -> !label.isEmpty())
                .collect(Collectors.toSet());
    }

    private static void assertContainsEach(List<String> strings, Set<String> labels) {
        assertThat(labels).allSatisfy(label -> assertThat(strings).anyMatch(string -> string.startsWith(label)));
    }
}
