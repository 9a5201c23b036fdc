package mayfly.kit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadlineTest {

    @Test
    void passedDeadlineFailsWithTheState() {
        Deadline deadline = Deadline.in(Duration.ZERO);
        assertThatThrownBy(() -> deadline.check("100 % busy"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("not in time: 100 % busy");
        assertThatThrownBy(() -> deadline.check("%s of %d", "some", 3)).hasMessage("not in time: some of 3");
    }

    @Test
    void deadlineAheadDoesNotFail() {
        Deadline deadline = Deadline.in(Duration.ofHours(1));
        deadline.check("never");
        deadline.check("%s", "never");
    }
}
