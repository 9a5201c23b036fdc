package mayfly.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PatienceTest {
    @Test
    void idleMachineLeavesTheLimitUnchanged() {
        assertThat(Patience.factor(0.3, 2)).isEqualTo(1);
    }

    @Test
    void busyMachineScalesTheLimitByLoadPerCpu() {
        assertThat(Patience.factor(80, 2)).isEqualTo(40);
        assertThat(Patience.factor(10_000, 2)).isEqualTo(50);
    }

    @Test
    void limitIsNeverReduced() {
        assertThat(Patience.of(Duration.ofSeconds(7))).isGreaterThanOrEqualTo(Duration.ofSeconds(7));
    }
}
