package mayfly.hotspot.counters;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import mayfly.hotspot.counters.PauseKind.Causes;
import mayfly.runtime.collection.Collection;
import mayfly.runtime.collection.Collection.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PauseCausesTest {
    private static final String NONE = "No GC";

    private final PauseCauses causes = new PauseCauses(List.of(Causes.OPERATION, Causes.OPERATION, Causes.NONE));

    private static Collection pause(Kind kind, long begun, long ended) {
        return new Collection(kind.word(), kind, 1, 0, begun, ended, "");
    }

    /** Returns the causes of a young pause and a full one. */
    private List<String> named(long youngEnd, long fullBegun, long fullEnd, String now, String last, long safepoints) {
        List<Collection> pauses = List.of(
                pause(Kind.YOUNG, 10, youngEnd), pause(Kind.FULL, fullBegun, fullEnd), pause(Kind.CONCURRENT, 90, 95));
        List<Collection> named = causes.named(pauses, now, last, safepoints);
        assertThat(named.get(2).cause()).isEmpty();
        return List.of(named.get(0).cause(), named.get(1).cause());
    }

    /**
     * Each row has the present and the last cause, the number of safepoints (100 at the reading before), the end of the
     * young pause, the begin and the end of the full one (0 if in progress), and the cause of each.
     */
    @ParameterizedTest
    @CsvSource(
            nullValues = "?",
            value = {
                // in progress
                "A, No GC, 101, 0, 5, 6, A, A",
                "A, No GC, 103, 0, 5, 6, A, ?",
                // ended, and nothing in progress: the last cause is that of the latest pause
                "No GC, A, 120, 20, 5, 6, A, ?",
                "No GC, A, 120, 20, 30, 40, ?, A",
                "No GC, A, 101, 20, 30, 40, A, A",
                "No GC, A, 102, 20, 30, 40, A, A",
                // an operation is executing: that of the pause only if there was no other safepoint
                "A, No GC, 101, 20, 30, 0, A, A",
                "A, No GC, 103, 20, 30, 0, ?, A",
                "A, No GC, 103, 20, 5, 6, ?, ?",
                // an operation within another
                "B, A, 101, 20, 30, 0, A, B",
                "A, B, 101, 20, 30, 40, ?, ?",
                // nothing is known
                "No GC, No GC, 102, 20, 5, 6, ?, ?",
                "'', '', 101, 20, 30, 0, ?, ?",
                "A, No GC, -1, 20, 30, 0, ?, A",
                "A, No GC, 1, 20, 30, 0, ?, A",
            })
    void causeIsThatOfTheOperationOfThePause(
            String now,
            String last,
            long safepoints,
            long youngEnd,
            long fullBegun,
            long fullEnd,
            String young,
            String full) {
        named(1, 1, 1, NONE, NONE, 100);
        assertThat(named(youngEnd, fullBegun, fullEnd, now, last, safepoints))
                .containsExactly(young == null ? Collection.UNKNOWN : young, full == null ? Collection.UNKNOWN : full);
    }

    /** Each row has the number of safepoints at two readings. */
    @ParameterizedTest
    @CsvSource({"101, 101, true", "101, 102, true", "101, 103, false", "100, 102, true", "100, 103, false"})
    void pauseThatHasEndedHasTheCauseOfAnotherOnlyInTheSameSafepoint(long before, long now, boolean isOne) {
        named(1, 1, 1, "A", NONE, before);
        assertThat(named(20, 30, 0, "B", NONE, now)).containsExactly(isOne ? "B" : Collection.UNKNOWN, "B");
    }

    @Test
    void withoutNumberOfSafepointsEachPauseMayBeOfAnotherOperation() {
        named(1, 1, 1, NONE, NONE, -1);
        assertThat(named(20, 30, 0, "B", NONE, -1)).containsExactly(Collection.UNKNOWN, "B");
        assertThat(named(20, 30, 0, "B", NONE, 0)).containsExactly(Collection.UNKNOWN, "B");
    }
}
