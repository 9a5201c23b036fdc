package mayfly.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DrainPolicyTest {
    private static final long LONG = Long.MAX_VALUE;

    /** A situation in which the named conditions are true; lists those that were asked. */
    private record Scripted(Set<String> conditions, List<String> asked) implements DrainPolicy.Situation {
        Scripted(String... conditions) {
            this(Set.of(conditions), new ArrayList<>());
        }

        private boolean is(String condition) {
            asked.add(condition);
            return conditions.contains(condition);
        }

        @Override
        public boolean isBeyondCopies() {
            return is("beyond");
        }

        @Override
        public boolean isStarting() {
            return is("starting");
        }

        @Override
        public boolean isChanging() {
            return is("changing");
        }

        @Override
        public boolean isUnheld() {
            return is("unheld");
        }
    }

    @ParameterizedTest
    @CsvSource({"beyond,1", "starting,5", "changing,20", "unheld,20"})
    void oneConditionSelectsItsInterval(String condition, int millis) {
        DrainPolicy row = DrainPolicy.of(new Scripted(condition));
        assertThat(row.millis()).isEqualTo(millis);
        assertThat(row.isFrequent()).isTrue();
    }

    @Test
    void stableTargetIsDrainedAtTheUsualInterval() {
        DrainPolicy row = DrainPolicy.of(new Scripted());
        assertThat(row).isSameAs(DrainPolicy.USUAL);
        assertThat(row.millis()).isEqualTo(200);
        assertThat(row.isFrequent()).isFalse();
    }

    @Test
    void firstRowThatHoldsHidesTheLaterOnes() {
        assertThat(DrainPolicy.of(new Scripted("beyond", "starting", "changing", "unheld")))
                .isSameAs(DrainPolicy.URGENT);
        assertThat(DrainPolicy.of(new Scripted("starting", "changing", "unheld")))
                .isSameAs(DrainPolicy.STARTING);
        assertThat(DrainPolicy.of(new Scripted("changing", "unheld"))).isSameAs(DrainPolicy.CHANGING);
    }

    /** A condition may have a cost, and may update the state that later calls compare with. */
    @Test
    void conditionsAfterTheFirstThatHoldsAreNotAsked() {
        var situation = new Scripted("starting", "unheld");
        DrainPolicy.of(situation);
        assertThat(situation.asked()).containsExactly("beyond", "starting");
    }

    @Test
    void rowsAreFromTheShortestIntervalToTheLongest() {
        assertThat(DrainPolicy.ALL)
                .isSortedAccordingTo((one, other) -> one.millis() - other.millis())
                .endsWith(DrainPolicy.USUAL);
        assertThat(DrainPolicy.ALL)
                .extracting(DrainPolicy::reason)
                .doesNotHaveDuplicates()
                .doesNotContain("");
    }

    @Test
    void waitEndsWithTheRecording() {
        assertThat(DrainPolicy.USUAL.waitMillis(LONG)).isEqualTo(200);
        assertThat(DrainPolicy.USUAL.waitMillis(30_000_000)).isEqualTo(30);
        assertThat(DrainPolicy.URGENT.waitMillis(30_000_000)).isEqualTo(1);
    }

    @Test
    void waitIsAtLeastOneMillisecond() {
        assertThat(DrainPolicy.USUAL.waitMillis(999_999)).isEqualTo(1);
    }
}
