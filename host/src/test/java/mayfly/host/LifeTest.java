package mayfly.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import org.junit.jupiter.api.Test;

class LifeTest {
    private static final Map<Life.State, Set<Life.State>> FOLLOWS = Map.of(
            Life.State.NONE, EnumSet.of(Life.State.INITIALIZING),
            Life.State.INITIALIZING, EnumSet.of(Life.State.ACTIVE, Life.State.DETACHING),
            Life.State.ACTIVE, EnumSet.of(Life.State.DETACHING),
            Life.State.DETACHING, EnumSet.noneOf(Life.State.class));

    private static Life in(Life.State state) {
        Life life = new Life();
        for (Life.State step : new Life.State[] {Life.State.INITIALIZING, Life.State.ACTIVE, Life.State.DETACHING}) {
            if (step.compareTo(state) <= 0) {
                life.to(step);
            }
        }
        assertThat(life.state()).isEqualTo(state);
        return life;
    }

    @Test
    void onlyAllowedStateTransitionsSucceed() {
        for (Life.State from : Life.State.values()) {
            for (Life.State to : Life.State.values()) {
                Life life = in(from);
                if (FOLLOWS.get(from).contains(to)) {
                    life.to(to);
                    assertThat(life.state()).isEqualTo(to);
                } else {
                    assertThatThrownBy(() -> life.to(to)).isInstanceOf(ProfilerException.class);
                    assertThat(life.state()).isEqualTo(from);
                }
            }
        }
    }

    @Test
    void profilerCallsAreAllowedFromInitializationToDetachRequest() {
        in(Life.State.INITIALIZING).mustAnswer();
        in(Life.State.ACTIVE).mustBeActive();
        assertThatThrownBy(() -> in(Life.State.INITIALIZING).mustBeActive())
                .isInstanceOfSatisfying(ProfilerException.class, e -> assertThat(e.status()).isEqualTo(Status.NOT_YET_INITIALIZED));
        assertThatThrownBy(() -> in(Life.State.DETACHING).mustAnswer())
                .isInstanceOfSatisfying(ProfilerException.class, e -> assertThat(e.status()).isEqualTo(Status.PROFILER_DETACHING));
    }
}
