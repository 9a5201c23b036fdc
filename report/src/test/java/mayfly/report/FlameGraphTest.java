package mayfly.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import mayfly.profile.Profile;
import mayfly.profile.Unit;
import mayfly.report.tree.Colour;
import mayfly.report.tree.ConversionOptions;
import org.junit.jupiter.api.Test;

class FlameGraphTest {
    static String page(Profile profile) throws IOException {
        var out = new ByteArrayOutputStream();
        Conversion.write(profile, Format.FLAMEGRAPH, ConversionOptions.DEFAULT, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void pageLoadsNoExternalResource() throws IOException {
        String page = page(Examples.service());
        assertThat(page).contains("default-src 'none'").doesNotContain("unsafe-inline");
        assertThat(Pattern.compile("https?:|src=|href=|@import|url\\(|fetch\\(|XMLHttpRequest")
                        .matcher(page)
                        .results())
                .isEmpty();
    }

    @Test
    void namesCannotEndTheScriptOrTheTable() throws IOException {
        String hostile = "</script></noscript><img src=x onerror=alert(1)>{{data}}'\"&";
        Profile profile = new RecordingBuilder(Unit.NANOSECONDS, hostile, hostile)
                .stack(hostile, 1, "2 x." + hostile)
                .profile();
        String page = page(profile);
        assertThat(page).doesNotContain("<img").contains("&lt;img src=x onerror=alert(1)&gt;{{data}}&#39;&quot;&amp;");
        assertThat(page.split("</script>", -1)).hasSize(3);
    }

    @Test
    void theStyleSheetDefinesEveryColour() throws IOException {
        String page = page(new RecordingBuilder().profile());
        for (Colour colour : Colour.values()) {
            assertThat(page).contains("--k-" + colour.key() + ":", ".k-" + colour.key() + " {");
        }
    }

    @Test
    void recordingWithoutSamplesYieldsAPage() throws IOException {
        assertThat(page(new RecordingBuilder().profile())).contains("0 samples");
    }

    @Test
    void equalRecordingsGiveEqualBytes() throws IOException {
        assertThat(page(Examples.service())).isEqualTo(page(Examples.service()));
    }

    @Test
    void pageWithoutScriptsShowsTheTable() throws IOException {
        assertThat(page(Examples.service()))
                .containsPattern(
                        "<noscript>.*(<td>23\\.93&nbsp;%</td>){2}<td>org\\.h2\\.value\\.ValueBigint\\.compare");
    }
}
