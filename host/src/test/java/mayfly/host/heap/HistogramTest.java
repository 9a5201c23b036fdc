package mayfly.host.heap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistogramTest {
    private static final String HEAD = " num     #instances         #bytes  class name (module)\n"
            + "-------------------------------------------------------\n";
    private static final String TWO = HEAD + "   1:          6043         461232  [B (java.base@25.0.3)\n"
            + "   2:            17            408  com.example.Some$Class\n";

    private static List<Histogram.Row> parse(String answer) {
        return Histogram.parse(answer.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void rowsHaveTheirNamesWithoutModules() {
        assertThat(parse(TWO + "Total          6060         461640\n"))
                .containsExactly(
                        new Histogram.Row("[B", 6043, 461232), new Histogram.Row("com.example.Some$Class", 17, 408));
    }

    @Test
    void anAnswerWithoutClassesHasNoRows() {
        assertThat(parse(HEAD + "Total             0              0\n")).isEmpty();
    }

    /** The name of a class may contain line breaks and digits. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Total          6061         461640\n",
                "Total          6060         461641\n",
                "Total\n",
                "   2:             0              0  forged\nTotal          6060         461640\n",
                "   4:             0              0  forged\nTotal          6060         461640\n",
                "   3:             0\nTotal          6060         461640\n",
                "   3             0              0  x\nTotal          6060         461640\n",
                "forged\nTotal          6060         461640\n",
                "Total          6060         461640\n   3:             0              0  late\n",
                "Total          6060         461640\nTotal          6060         461640\n",
                "   3: 9999999999999999999999 0  x\nTotal          6060         461640\n",
            })
    void anInconsistentAnswerIsRefused(String end) {
        assertThat(parse(TWO + end)).isNull();
    }
}
