package mayfly.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import mayfly.profile.Profile;
import mayfly.report.tree.ConversionOptions;
import org.junit.jupiter.api.Test;

class TextReportTest {

    private static String text(Profile profile) throws IOException {
        var out = new ByteArrayOutputStream();
        Conversion.write(profile, Format.TEXT, ConversionOptions.DEFAULT, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void textReportEqualsGoldenFile() throws IOException {
        Golden.compare("service.txt", text(Examples.service()));
    }

    @Test
    void callersShareTheSelfTimeOfAFrame() throws IOException {
        String text = text(new RecordingBuilder()
                .stack("t", 3, "2 a.A.one", "2 a.Hot.spot")
                .stack("t", 1, "2 a.A.two", "2 a.Hot.spot")
                .stack("t", 4, "2 a.A.two")
                .profile());
        assertThat(text)
                .contains("callers of a.Hot.spot (self: 50.0 % of the total)\n 75.0 %  a.A.one\n 25.0 %  a.A.two\n");
    }

    @Test
    void emptyProfileAndHostileNamesGiveAReport() throws IOException {
        assertThat(text(new RecordingBuilder().profile())).contains("0 samples");
        assertThat(text(new RecordingBuilder()
                        .stack("t", 1, "2 a.\u001b[31m\nB.c")
                        .profile()))
                .doesNotContain("\u001b")
                .contains("a.\\u001b[31m\\u000aB.c");
    }
}
