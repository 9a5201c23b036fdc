package mayfly.linux.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class PerfOptionsTest {
    /**
     * At the wake-up threshold, a ring has room for the data that a CPU writes in 150 ms; a small ring has at least
     * three quarters of its size free.
     */
    @Test
    void wakeUpLeavesRoomFor150Milliseconds() {
        int ring = 8 << 20;
        PerfOptions options = PerfOptions.at(999);
        double room = ring - options.wakeUpBytes(ring);
        double second = 999.0 * (options.stackBytes() + 232);
        assertThat(room / second).isBetween(0.149, 0.151);
    }

    @Test
    void wakeUpIsBetweenOneAndThreeQuartersOfTheRing() {
        assertThat(PerfOptions.at(20_000).wakeUpBytes(8 << 20)).isEqualTo(2 << 20);
        assertThat(PerfOptions.at(99).wakeUpBytes(1 << 19)).isEqualTo(1 << 17);
        assertThat(PerfOptions.at(1).wakeUpBytes(16 << 20)).isEqualTo(12 << 20);
    }

    @Test
    void everyVariantKeepsTheNumberOfSharers() {
        PerfOptions shared = PerfOptions.at(99).sharedBy(3);
        assertThat(List.of(shared.withKernelFrames(), shared.startingAtExec(), shared.withStackBytes(8)))
                .allSatisfy(variant -> assertThat(variant.sharers()).isEqualTo(3));
        assertThat(PerfOptions.at(99).sharers()).isEqualTo(1);
        assertThatThrownBy(() -> shared.sharedBy(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ringHoldsAsManyPeriodsAsRecordsFit() {
        int record = PerfOptions.STACK_BYTES + 232;
        assertThat(PerfOptions.at(100).nanosIn(8 << 20)).isEqualTo((8 << 20) / record * 10_000_000L);
        assertThat(PerfOptions.at(1000).nanosIn(8 << 20)).isEqualTo((8 << 20) / record * 1_000_000L);
        assertThat(PerfOptions.at(1000).nanosIn(record - 1)).isZero();
    }
}
