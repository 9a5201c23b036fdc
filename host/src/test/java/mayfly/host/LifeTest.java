package mayfly.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.Set;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.wire.life.HostLife;
import org.junit.jupiter.api.Test;

class LifeTest {
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

    /**
     * Returns the states that follow in the library's table. States of the table that the Java half does not
     * distinguish count as one.
     */
    private static Set<Life.State> followersInTheTable(Life.State from) {
        Set<Life.State> followers = EnumSet.noneOf(Life.State.class);
        for (HostLife state : HostLife.values()) {
            for (HostLife next : state.next()) {
                if (Life.State.valueOf(state.javaHalf) == from && !next.javaHalf.equals(state.javaHalf)) {
                    followers.add(Life.State.valueOf(next.javaHalf));
                }
            }
        }
        // Without an attach request there is no Java half, and the library goes from OPENED to GONE.
        if (from == Life.State.NONE) {
            followers.remove(Life.State.DETACHING);
        }
        return followers;
    }

    @Test
    void onlyStateTransitionsOfTheTableSucceed() {
        for (Life.State from : Life.State.values()) {
            Set<Life.State> followers = followersInTheTable(from);
            for (Life.State to : Life.State.values()) {
                Life life = in(from);
                if (followers.contains(to)) {
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
                .isInstanceOfSatisfying(
                        ProfilerException.class, e -> assertThat(e.status()).isEqualTo(Status.NOT_YET_INITIALIZED));
        assertThatThrownBy(() -> in(Life.State.DETACHING).mustAnswer())
                .isInstanceOfSatisfying(
                        ProfilerException.class, e -> assertThat(e.status()).isEqualTo(Status.PROFILER_DETACHING));
    }
}
