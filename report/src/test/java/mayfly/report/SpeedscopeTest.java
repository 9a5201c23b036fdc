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
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import org.junit.jupiter.api.Test;

class SpeedscopeTest {
    private static final ConversionOptions THREADS = new ConversionOptions(true, true, false, false, null);
    /** Put there by testing/get-speedscope: the schema comes with the program. */
    private static final Path SCHEMA = Path.of("../testing/speedscope/file-format-schema.json");

    private static String speedscope(Profile profile, ConversionOptions options) throws IOException {
        var out = new ByteArrayOutputStream();
        Conversion.write(profile, Format.SPEEDSCOPE, options, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static Profile small() throws IOException {
        return new Recorded().stack("main", 2, "n libc.so.6 start", "2 a.B.run", "i a.B.loop")
                .stack("w\u001b\"1", WalkOutcome.NO_CFI, 1, 5_000, "n libz.so.1", "k read").profile();
    }

    @Test
    void isAsItWas() throws IOException {
        Golden.compare("small.speedscope.json", speedscope(small(), ConversionOptions.DEFAULT));
        Golden.compare("small-threads.speedscope.json", speedscope(small(), THREADS));
    }

    @Test
    void theSchemaOfSpeedscopeHolds() throws IOException {
        assumeTrue(Files.exists(SCHEMA), "no schema here: run testing/get-speedscope");
        var schema = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V7).getSchema(Files.readString(SCHEMA));
        for (ConversionOptions options : new ConversionOptions[] {ConversionOptions.DEFAULT, THREADS}) {
            JsonNode file = new ObjectMapper().readTree(speedscope(Examples.service(), options));
            assertThat(schema.validate(file)).isEmpty();
            // The test can fail: without its frames the file is not one.
            assertThat(schema.validate(((com.fasterxml.jackson.databind.node.ObjectNode) file).without("shared")))
                    .isNotEmpty();
        }
    }

    @Test
    void addsUpToWhatTheSamplesStandFor() throws IOException {
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
            assertThat(sum).isEqualTo(byThread.get(name)).isEqualTo(one.get("endValue").asLong());
            assertThat(one.get("samples")).hasSameSizeAs(one.get("weights"));
        }
    }
}
