package mayfly.record.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StopTimesTest {
    @Test
    void medianIsExactToATenthOfAMicrosecond() {
        StopTimes times = new StopTimes();
        for (int i = 1; i <= 1000; i++) {
            times.add(i * 50L);
        }
        assertThat(times.atMost(0.5)).isBetween(25_000L, 25_100L);
        assertThat(times.atMost(0.9)).isBetween(45_000L, 45_100L);
        assertThat(times)
                .hasToString("1000 stops, median 25.1 us, 90 % at most 45.1 us, longest 50.0 us, 25.0 ms in all,"
                        + " 0 longer than 10 ms");
    }

    @Test
    void zeroAndVeryLongStopsAreCounted() {
        StopTimes times = new StopTimes();
        assertThat(times)
                .hasToString("0 stops, median 0.0 us, 90 % at most 0.0 us, longest 0.0 us, 0.0 ms in all,"
                        + " 0 longer than 10 ms");
        times.add(7_000_000);
        times.add(3_000_000_000L);
        assertThat(times.atMost(0.5)).isEqualTo(8_000_000);
        assertThat(times.atMost(1)).isEqualTo(3_000_000_000L);
        assertThat(times.overLimit()).isOne();
        times.add(10);
        times.add(10);
        assertThat(times.atMost(0.5)).isEqualTo(100);
    }

    @Test
    void shareOfLongStopsIsExactToAMillisecond() {
        StopTimes times = new StopTimes();
        for (int i = 0; i < 80; i++) {
            times.add(50_000);
        }
        for (int i = 0; i < 15; i++) {
            times.add(2_300_000);
        }
        times.add(999_999);
        times.add(1_000_000);
        times.add(182_900_000);
        assertThat(times.atMost(0.5)).isEqualTo(50_100);
        assertThat(times.atMost(0.82)).isEqualTo(1_000_000);
        assertThat(times.atMost(0.83)).isEqualTo(2_000_000);
        assertThat(times.atMost(0.9)).isEqualTo(3_000_000);
        assertThat(times.atMost(1)).isEqualTo(182_900_000);
    }
}
