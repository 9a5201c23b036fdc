package mayfly.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import mayfly.cli.Captured;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Combinations of the options of {@code record} that are refused before anything is recorded or written. */
class RecordOptionsTest {
    private static final String OWN_PID = Long.toString(ProcessHandle.current().pid());

    @TempDir
    Path dir;

    private String refused(String... options) {
        var captured = new Captured();
        List<String> words = new ArrayList<>(List.of("record"));
        words.addAll(List.of(options));
        words.add(OWN_PID);
        assertThat(captured.run(words.toArray(String[]::new)))
                .as("%s: %s", words, captured.err())
                .isEqualTo(2);
        assertThat(captured.out()).isEmpty();
        assertThat(dir).isEmptyDirectory();
        return captured.err();
    }

    private String file(String name) {
        return dir.resolve(name).toString();
    }

    @Test
    void eventThatIsNamedTwiceIsRefused() {
        assertThat(refused("-e", "cpu,off-cpu,cpu")).contains("the event cpu is named twice");
    }

    @Test
    void unknownEventAmongSeveralIsNamed() {
        assertThat(refused("-e", "cpu,gpu")).contains("'gpu' cannot be sampled; use cpu or wall or off-cpu");
        assertThat(refused("-e", "cpu,")).contains("'' cannot be sampled");
    }

    @Test
    void wallClockTimeBesideAnotherEventIsRefused() {
        assertThat(refused("-e", "wall,off-cpu")).contains("wall stops every thread", "record it alone");
    }

    @Test
    void severalEventsInAFormatOfOneAreRefusedWithTheWayToGetIt() {
        for (String name : List.of("x.html", "x.collapsed", "x.pb.gz", "x.speedscope.json", "x.txt")) {
            assertThat(refused("-e", "cpu,off-cpu", "-o", file(name)))
                    .contains("shows one event", ".mayfly", "mayfly convert --event NAME");
        }
        assertThat(refused("-e", "cpu,off-cpu", "--format", "html")).contains("the format html shows one event");
    }

    @Test
    void collectorThatOneOfSeveralEventsLacksIsRefused() {
        assertThat(refused("-e", "cpu,off-cpu", "--collector", "system-wide"))
                .contains("waiting time is sampled with per-thread or ptrace only, not system-wide");
    }

    @Test
    void shortestWaitNeedsTheEventAmongTheOthers() {
        assertThat(refused("-e", "cpu,safepoint", "--min-wait", "5ms")).contains("--min-wait needs -e off-cpu or lock");
    }

    @Test
    void rotationOutOfRangeIsRefused() {
        assertThat(refused("--rotate", "999ms", "-o", file("x.mayfly"))).contains("--rotate must be at least 1s");
        assertThat(refused("--rotate", "1s", "--keep", "0", "-o", file("x.mayfly")))
                .contains("--keep must be at least 1");
        assertThat(refused("--keep", "3", "-o", file("x.mayfly"))).contains("--keep needs --rotate");
        assertThat(refused("--rotate", "1s", "--max-size", "63k", "-o", file("x.mayfly")))
                .contains("--max-size must be at least 64k");
        assertThat(refused("--rotate", "1s", "--max-size", "1x", "-o", file("x.mayfly")))
                .contains("'1x' is not a size");
        assertThat(refused("--max-size", "1g", "-o", file("x.mayfly"))).contains("--max-size needs --rotate");
    }

    @Test
    void rotationIntoAnotherFormatIsRefused() {
        for (String name : List.of(file("x.html"), file("x"), "-")) {
            assertThat(refused("--rotate", "1s", "-o", name))
                    .contains("--rotate writes captures: name a file that ends in .mayfly");
        }
        assertThat(refused("--rotate", "1s", "--format", "html")).contains("--rotate writes captures");
    }
}
