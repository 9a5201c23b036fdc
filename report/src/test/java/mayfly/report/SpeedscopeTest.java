package mayfly.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import mayfly.profile.Detail;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import mayfly.report.tree.ConversionOptions;
import org.junit.jupiter.api.Test;

class SpeedscopeTest {
    private static final ConversionOptions THREADS = new ConversionOptions(true, true, false, false, null);
    /** The schema of speedscope, which testing/get-speedscope stores. */
    private static final Path SCHEMA = Path.of("../testing/speedscope/file-format-schema.json");

    private static String speedscope(Profile profile, ConversionOptions options) throws IOException {
        var out = new ByteArrayOutputStream();
        Conversion.write(profile, Format.SPEEDSCOPE, options, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static Profile small() throws IOException {
        return new RecordingBuilder()
                .stack("main", 2, "n libc.so.6 start", "2 a.B.run", "i a.B.loop")
                .stack("w\u001b\"1", WalkOutcome.NO_CFI, 1, 5_000, "n libz.so.1", "k read")
                .profile();
    }

    @Test
    void speedscopeOutputEqualsGoldenFiles() throws IOException {
        Golden.compare("small.speedscope.json", speedscope(small(), ConversionOptions.DEFAULT));
        Golden.compare("small-threads.speedscope.json", speedscope(small(), THREADS));
    }

    @Test
    void speedscopeOutputValidatesAgainstTheSchema() throws IOException {
        assumeTrue(Files.exists(SCHEMA), "the schema is missing: run testing/get-speedscope");
        var schema = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V7).getSchema(Files.readString(SCHEMA));
        for (ConversionOptions options : new ConversionOptions[] {ConversionOptions.DEFAULT, THREADS}) {
            JsonNode file = new ObjectMapper().readTree(speedscope(Examples.service(), options));
            assertThat(schema.validate(file)).isEmpty();
            // Checks that the assertion can fail: without its frames, the file is invalid.
            assertThat(schema.validate(((com.fasterxml.jackson.databind.node.ObjectNode) file).without("shared")))
                    .isNotEmpty();
        }
    }

    @Test
    void speedscopeWeightsAddUpToTheSampleValues() throws IOException {
        Profile profile = Examples.service();
        JsonNode file = new ObjectMapper().readTree(speedscope(profile, THREADS));
        Map<String, Long> byThread = new HashMap<>();
        for (int sample = 0; sample < profile.sampleCount(); sample++) {
            byThread.merge(profile.threads().get(profile.threadOf(sample)).name(), profile.valueOf(sample), Long::sum);
        }
        assertThat(file.get("profiles")).hasSize(byThread.size());
        for (JsonNode one : file.get("profiles")) {
            String name = one.get("name").asText().replaceAll(" \\([0-9]+\\)$", "");
            long sum = 0;
            for (JsonNode weight : one.get("weights")) {
                sum += weight.asLong();
            }
            assertThat(sum)
                    .isEqualTo(byThread.get(name))
                    .isEqualTo(one.get("endValue").asLong());
            assertThat(one.get("samples")).hasSameSizeAs(one.get("weights"));
        }
    }

    @Test
    void speedscopeOpensOnTheThreadWithTheMostTime() throws IOException {
        Profile profile = new RecordingBuilder()
                .stack("starter", 2, "2 a.B.begin")
                .stack("worker", 5, "2 a.B.work")
                .stack("collector", 3, "v G1::work()")
                .profile();
        JsonNode file = new ObjectMapper().readTree(speedscope(profile, THREADS));
        assertThat(file.get("activeProfileIndex").asInt()).isZero();
        assertThat(file.get("profiles").findValuesAsText("name"))
                .extracting(name -> name.replaceAll(" .*", ""))
                .containsExactly("worker", "collector", "starter");
    }

    @Test
    void tooManyFramesAreAddedUpByStackWithoutLoss() throws IOException {
        String[] deep =
                IntStream.range(0, 32_000).mapToObj(i -> "2 a.B.m" + i % 7).toArray(String[]::new);
        var recorded = new RecordingBuilder()
                .stack("a", 2_000, deep)
                .stack("b", 2_500, deep)
                .stack("b", 3, "2 a.B.x");
        for (ConversionOptions options : new ConversionOptions[] {ConversionOptions.DEFAULT, THREADS}) {
            JsonNode file = new ObjectMapper().readTree(speedscope(recorded.profile(Detail.IN_ORDER_IF_FEW), options));
            long sum = 0;
            int rows = 0;
            for (JsonNode one : file.get("profiles")) {
                assertThat(one.get("name").asText()).contains("equal stacks added up");
                sum += one.get("endValue").asLong();
                rows += one.get("samples").size();
            }
            assertThat(sum).isEqualTo(4_503L * 10_101_010);
            assertThat(rows).isEqualTo(options.threads() ? 3 : 2);
            assertThat(file.toString()).doesNotContain("too many stacks");
        }
    }
}
