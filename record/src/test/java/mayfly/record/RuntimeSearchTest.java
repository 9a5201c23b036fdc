package mayfly.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuntimeSearchTest {
    private static final long MS = 1_000_000;
    private static final long START = 1000 * MS;
    private static final ScriptedRuntime R1 = new ScriptedRuntime(1);
    private static final ScriptedRuntime R2 = new ScriptedRuntime(2);

    /** Returns the times of the looks in a period, ms after its start, if one is possible in each millisecond. */
    private static List<Long> looks(RuntimeSearch search, ScriptedTarget target, long from, int millis) {
        List<Long> times = new ArrayList<>();
        for (long i = 0; i < millis; i++) {
            int before = target.looks;
            search.look(from + i * MS);
            if (target.looks > before) {
                times.add(i);
            }
        }
        return times;
    }

    @Test
    void targetWithoutRuntimeIsExaminedAtEachCall() {
        var target = new ScriptedTarget();
        assertThat(looks(new RuntimeSearch(target, START), target, START, 3)).containsExactly(0L, 1L, 2L);
    }

    @Test
    void runtimeThatAppearsIsReturnedOnce() {
        var target = ScriptedTarget.with(R1);
        target.hasUnknownLibrary = true;
        target.finds.add(List.of(R2));
        var search = new RuntimeSearch(target, START);
        assertThat(search.look(START)).containsExactly(R2);
        assertThat(search.look(START + 1000 * MS)).isEmpty();
        assertThat(target.looks).isEqualTo(2);
    }

    @Test
    void targetWithoutUnknownLibraryIsNotExaminedAfterItsRuntimeIsKnown() {
        var target = ScriptedTarget.with(R1);
        assertThat(looks(new RuntimeSearch(target, START), target, START, 5000)).isEmpty();
    }

    @Test
    void libraryThatStaysUnknownIsExaminedLessAndLessOften() {
        var target = ScriptedTarget.with(R1);
        target.hasUnknownLibrary = true;
        List<Long> times = looks(new RuntimeSearch(target, START), target, START, 20_000);
        assertThat(times).startsWith(0L, 200L, 400L);
        List<Long> gaps = new ArrayList<>();
        for (int i = 1; i < times.size(); i++) {
            gaps.add(times.get(i) - times.get(i - 1));
        }
        assertThat(gaps).isSorted().first().isEqualTo(200L);
        assertThat(gaps).last().isEqualTo(1000L);
        assertThat(gaps).contains(1000L).anyMatch(gap -> gap > 400 && gap < 600);
    }

    @Test
    void newRuntimeMakesTheIntervalShortAgain() {
        var target = ScriptedTarget.with(R1);
        target.hasUnknownLibrary = true;
        var search = new RuntimeSearch(target, START);
        looks(search, target, START, 20_000);
        target.finds.add(List.of(R2));
        assertThat(looks(search, target, START + 20_000 * MS, 2000)).hasSizeGreaterThan(4);
    }

    @Test
    void unknownLibraryAfterAPauseIsExaminedAtTheShortInterval() {
        var target = ScriptedTarget.with(R1);
        target.hasUnknownLibrary = true;
        var search = new RuntimeSearch(target, START);
        looks(search, target, START, 20_000);
        target.hasUnknownLibrary = false;
        assertThat(looks(search, target, START + 20_000 * MS, 3100)).isEmpty();
        target.hasUnknownLibrary = true;
        assertThat(looks(search, target, START + 23_100 * MS, 500)).containsExactly(0L, 200L, 400L);
    }

    @Test
    void targetIsStartingUntilOneSecondAfterItLastHadNoRuntime() {
        var target = new ScriptedTarget();
        var search = new RuntimeSearch(target, START);
        assertThat(search.isStarting(START)).isTrue();
        target.runtimes = List.of(R1);
        assertThat(search.isStarting(START + 999 * MS)).isTrue();
        assertThat(search.isStarting(START + 1000 * MS)).isFalse();
    }

    @Test
    void targetWithARuntimeFromTheBeginningIsNotStarting() {
        assertThat(new RuntimeSearch(ScriptedTarget.with(R1), START).isStarting(START))
                .isFalse();
    }

    @Test
    void samplesWaitFiveSecondsIfNothingIndicatesAStart() {
        var target = new ScriptedTarget();
        target.hasUnknownLibrary = true;
        var search = new RuntimeSearch(target, START);
        assertThat(search.mayWait(START + 7 * MS)).isTrue();
        assertThat(search.mayWait(START + 5006 * MS))
                .as("the wait began with the first call")
                .isTrue();
        assertThat(search.mayWait(START + 5007 * MS)).isFalse();
    }

    @Test
    void samplesWaitOneMinuteWhileARuntimeIsStarting() {
        var target = new ScriptedTarget();
        target.hasUnknownLibrary = true;
        target.isStarting = true;
        var search = new RuntimeSearch(target, START);
        assertThat(search.mayWait(START)).isTrue();
        assertThat(search.mayWait(START + 59_999 * MS)).isTrue();
        assertThat(search.mayWait(START + 60_000 * MS)).isFalse();
    }

    @Test
    void samplesOfATargetWithoutUnknownLibraryDoNotWait() {
        assertThat(new RuntimeSearch(new ScriptedTarget(), START).mayWait(START))
                .isFalse();
    }

    @Test
    void libraryThatWasUnknownAtALookIsRemembered() {
        var target = new ScriptedTarget();
        var search = new RuntimeSearch(target, START);
        search.look(START);
        assertThat(search.sawLibrary()).isFalse();
        target.hasUnknownLibrary = true;
        search.look(START + MS);
        target.hasUnknownLibrary = false;
        search.look(START + 2 * MS);
        assertThat(search.sawLibrary()).isTrue();
    }
}
