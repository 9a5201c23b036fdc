package mayfly.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class StatisticsTest {
    private static final double[] VALUES = {5, 1, 4, 2, 3};

    @Test
    void medianIsTheMiddleValue() {
        assertThat(Statistics.median(VALUES)).isEqualTo(3);
        assertThat(Statistics.median(new double[] {4, 1})).isEqualTo(2.5);
    }

    @Test
    void confidenceIntervalContainsItsRatio() {
        var ratio = Statistics.ratioOfMedians(VALUES, new double[] {6, 6, 6, 6});

        assertThat(ratio.value()).isEqualTo(0.5, within(1e-9));
        assertThat(ratio.low()).isBetween(1.0 / 6, 0.5);
        assertThat(ratio.high()).isBetween(0.5, 5.0 / 6);
    }

    @Test
    void numbersOfAResultAreFoundByName() {
        assertThat(Mayfly.numbers("{\"samples\":1200,\"complete\" : 1199,\"output\":\"x\"}"))
                .containsEntry("samples", 1200L)
                .containsEntry("complete", 1199L)
                .hasSize(2);
    }
}
