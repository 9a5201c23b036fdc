package mayfly.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import mayfly.profile.Measure;
import mayfly.profile.Recording;
import mayfly.profile.SampledEvent;
import mayfly.profile.SampledThread;
import mayfly.profile.Unit;
import mayfly.profile.capture.ThreadTotals;
import mayfly.profile.capture.ThreadTotals.Total;
import mayfly.report.text.ThreadTable;
import org.junit.jupiter.api.Test;

class ThreadTableTest {
    private static final long SECOND = 1_000_000_000;
    private static final List<SampledEvent> EVENTS = List.of(
            new SampledEvent("cpu", Unit.NANOSECONDS, 99),
            new SampledEvent("off-cpu", Unit.NANOSECONDS, 0, 0, List.of(Measure.VALUE, Measure.STATE)),
            new SampledEvent("alloc", Unit.BYTES, 0, 0, List.of(Measure.BYTES)));

    private static List<String> lines(List<String> names, Total... totals) {
        var recording = new Recording(1, "java A", "A", List.of(), EVENTS, "both", "6.12", 2, 0, 0);
        var threads = new ArrayList<SampledThread>();
        for (String name : names) {
            threads.add(new SampledThread(100 + threads.size(), 1, List.of(new SampledThread.Name(0, name))));
        }
        return ThreadTable.lines(new ThreadTotals(recording, threads, List.of(totals), List.of()));
    }

    @Test
    void threadsAreInTheOrderOfTheFirstEventWithTheirStates() {
        assertThat(lines(
                        List.of("main", "worker", "idle"),
                        new Total(0, 0, "", 10, SECOND),
                        new Total(1, 0, "", 30, 3 * SECOND),
                        new Total(0, 1, "park", 2, 4 * SECOND),
                        new Total(0, 1, "lock", 2, 5 * SECOND),
                        new Total(2, 1, "sleep", 1, SECOND / 2),
                        new Total(1, 2, "", 1, 123_456)))
                .containsExactly(
                        "         cpu     off-cpu       alloc  thread: states",
                        "      3.00 s           -     123,456  worker [101]",
                        "      1.00 s      9.00 s           -  main [100]: lock 5.00 s, park 4.00 s",
                        "           -      0.50 s           -  idle [102]: sleep 0.50 s");
    }

    @Test
    void manyThreadsEndInOneLineForTheRest() {
        var names = new ArrayList<String>();
        var totals = new ArrayList<Total>();
        for (int i = 0; i < 130; i++) {
            names.add("pool-" + i);
            totals.add(new Total(i, 1, "park", 1, SECOND));
        }
        List<String> lines = lines(names, totals.toArray(Total[]::new));
        assertThat(lines).hasSize(102);
        assertThat(lines.getLast()).isEqualTo("           -     30.00 s           -  30 other threads: park 30.00 s");
    }

    @Test
    void manyStatesEndInTheirSum() {
        var totals = new ArrayList<Total>();
        for (int i = 0; i < 40; i++) {
            totals.add(new Total(0, 1, "state-" + i, 1, SECOND));
        }
        totals.add(new Total(ThreadTotals.FURTHER, 1, "", 1, 2 * SECOND));
        List<String> lines = lines(List.of("main"), totals.toArray(Total[]::new));
        assertThat(lines.get(1))
                .contains("40.00 s")
                .endsWith(", in 25 other states 25.00 s")
                .hasSizeLessThan(600);
        assertThat(lines.get(2)).isEqualTo("           -      2.00 s           -  further threads");
    }

    @Test
    void hostileNamesAndStatesDoNotReachTheTerminal() {
        assertThat(lines(
                        List.of("a\u001b[2J\nb" + "c".repeat(1000)),
                        new Total(0, 1, "x\ny" + "s".repeat(10_000), 1, SECOND)))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).hasSizeLessThan(200).doesNotContain("\u001b", "\n"));
    }
}
