package mayfly.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObjectEventsTest {
    private static final int INTERVAL = 1 << 16;
    private static final int SAMPLES = 200_000;

    /** Samples as the JVM does: an object is chosen if the next point of a Poisson process is in it. */
    @ParameterizedTest
    @CsvSource({"16", "1000", "65536", "1048576"})
    void estimatesOfRandomSamplesSumUpToTheBytesAllocated(long size) {
        Random random = new Random(size);
        double probability = 1 - Math.exp(-(double) size / INTERVAL);
        double allocated = 0;
        double estimated = 0;
        for (int i = 0; i < SAMPLES; i++) {
            long objects = 1 + (long) (Math.log(1 - random.nextDouble()) / Math.log1p(-probability));
            allocated += (double) objects * size;
            estimated += ObjectEvents.estimatedBytes(size, INTERVAL);
        }
        assertThat(estimated / allocated).isCloseTo(1, within(0.01));
    }

    @ParameterizedTest
    @CsvSource({
        "16, 1024, 1032",
        "16, 1073741824, 1073741832",
        "1073741824, 1024, 1073741824",
        "17179869184, 524288, 17179869184",
        "1024, 1024, 1620"
    })
    void estimateIsAboutTheIntervalForSmallObjectsAndTheSizeForLargeOnes(long size, int interval, long expected) {
        assertThat(ObjectEvents.estimatedBytes(size, interval)).isEqualTo(expected);
    }
}
