package mayfly.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class CountsTest {
    @Test
    void framesOfCollapsedTextAreCounted() {
        Counts counts = Counts.parse("a;b;c 3\na;b 2\na;b;c 1\nx y;z 4\n");

        assertThat(counts.total()).isEqualTo(10);
        assertThat(counts.with("b")).isEqualTo(6);
        assertThat(counts.atLeaf("b")).isEqualTo(2);
        assertThat(counts.with("x y")).isEqualTo(4);
    }

    @Test
    void shareAssertionToleratesTheErrorOfItsSampleCount() {
        assertThatCode(() -> Counts.assertShare("fifty", 58, 100, 0.5, 0)).doesNotThrowAnyException();
        assertThatThrownBy(() -> Counts.assertShare("fifty", 5_800, 10_000, 0.5, 0.02))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("58.00 % of 10000");
    }

    @Test
    void floorAssertionToleratesTheErrorOfItsSampleCount() {
        assertThatCode(() -> Counts.assertAtLeast("roots", 9_993, 10_000, 0.9995))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> Counts.assertAtLeast("roots", 9_900, 10_000, 0.9995))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("100 are not");
    }
}
