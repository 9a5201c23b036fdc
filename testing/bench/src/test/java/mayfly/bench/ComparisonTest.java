package mayfly.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import mayfly.bench.Comparison.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComparisonTest {
    @TempDir
    Path folder;

    private Path page(String name, String samples, String micros) throws IOException {
        return Files.writeString(folder.resolve(name), """
            <!-- begin cost -->
            | JDK | load | samples | CPU per sample, µs | resident |
            | --- | --- | --- | --- | --- |
            | 25 | H2 | %s | %s (1.0 to 9.0) | 90 MB |
            <!-- end cost -->
            """.formatted(samples, micros));
    }

    @Test
    void figuresOfTheSameRowAreCollectedAlthoughItsCountDiffers() throws IOException {
        assertThat(Comparison.figures(List.of(page("a", "100", "2.5"), page("b", "101", "3.5"))))
                .containsEntry(new Key("cost", "25, H2", "CPU per sample, µs"), List.of(2.5, 3.5))
                .containsEntry(new Key("cost", "25, H2", "resident"), List.of(90.0, 90.0))
                .hasSize(2);
    }

    @Test
    void pageHasTheRatioOfTheMediansMarkedIfTheRunsDoNotOverlap() throws IOException {
        Path out = folder.resolve("out.md");
        Comparison.main(
                out.toString(),
                "compare abc cost",
                "abc",
                "1",
                page("a", "100", "2").toString(),
                page("b", "100", "3").toString());
        assertThat(out)
                .content()
                .contains(
                        "than abc.",
                        "Command: `compare abc cost`.",
                        "| cost | 25, H2 | CPU per sample, µs | 2.00 (2.00 to 2.00) | 3.00 (3.00 to 3.00) | 1.50 worse"
                                + " |",
                        "| 90.00 (90.00 to 90.00) | 1.00 |");
    }

    @Test
    void renamedRowIsComparedUnderItsPresentName() throws IOException {
        Path before = page("before", "100", "2");
        Files.writeString(before, Files.readString(before).replace("H2", "blocked, each for itself"));
        assertThat(Comparison.figures(List.of(before)).keySet())
                .extracting(Key::row)
                .containsOnly("25, blocked, one at a time");
    }

    @Test
    void unequalNumbersOfPagesAreRefused() {
        assertThatThrownBy(() -> Comparison.main("out", "compare abc", "abc", "1", "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("of each version");
    }
}
