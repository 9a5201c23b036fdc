package mayfly.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import mayfly.profile.Detail;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.report.tree.ConversionOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The output of a format is the same for a profile with every sample and for one with only the sums that the format
 * needs.
 */
class DetailTest {
    private static final List<ConversionOptions> OPTIONS = List.of(
            ConversionOptions.DEFAULT,
            new ConversionOptions(true, true, false, false, null),
            new ConversionOptions(false, false, false, false, null),
            new ConversionOptions(true, false, true, true, null),
            new ConversionOptions(false, true, false, false, new RuntimeId.Choice("r1")));

    private static byte[] written(RecordingBuilder recorded, Detail detail, Format format, ConversionOptions options)
            throws IOException {
        var out = new ByteArrayOutputStream();
        Conversion.write(recorded.profile(detail), format, options, out);
        return out.toByteArray();
    }

    private static void assertSame(RecordingBuilder recorded) throws IOException {
        for (Format format : Format.values()) {
            for (ConversionOptions options : OPTIONS) {
                assertThat(written(recorded, Conversion.detail(format), format, options))
                        .as("%s %s", format, options)
                        .isEqualTo(written(recorded, Detail.EVERY_SAMPLE, format, options));
            }
        }
    }

    @Test
    void sumsAndSamplesOfTheServiceExampleGiveTheSameFiles() throws IOException {
        assertSame(Examples.serviceRecorded());
    }

    @Test
    @Tag("slow")
    void sumsAndSamplesOfRandomStacksGiveTheSameFiles() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            var random = new SplittableRandom(seed);
            var recorded = new RecordingBuilder();
            for (int i = random.nextInt(300); i >= 0; i--) {
                String[] frames = new String[random.nextInt(6)];
                for (int depth = 0; depth < frames.length; depth++) {
                    frames[depth] = "012iwsvnk".charAt(random.nextInt(9)) + " a.B.m" + random.nextInt(3);
                }
                recorded.stack(
                        "t" + random.nextInt(3),
                        WalkOutcome.values()[random.nextInt(4)],
                        random.nextInt(1, 4),
                        seed % 2 == 0 ? 7 : random.nextInt(-2, 5),
                        frames);
            }
            assertSame(recorded);
        }
    }
}
