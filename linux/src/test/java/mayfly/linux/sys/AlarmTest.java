package mayfly.linux.sys;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AlarmTest {

    @Test
    void alarmIsReplacedAndCancelled() {
        try {
            assertThat(Alarm.in(20_000)).isZero();
            assertThat(Alarm.in(10_000)).isBetween(10_001L, 20_000L);
            assertThat(Alarm.in(0)).isBetween(1L, 10_000L);
        } finally {
            assertThat(Alarm.in(0)).isZero();
        }
    }
}
