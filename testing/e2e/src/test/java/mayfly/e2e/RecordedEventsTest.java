package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import mayfly.api.Event;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.linux.perf.Probe;
import mayfly.profile.capture.CaptureReader;
import mayfly.record.event.RecordingEvent;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The events that a recording from outside can have: the table of {@link RecordingEvent}. */
class RecordedEventsTest {
    private static final int USAGE = 2;

    /** The program neither collects garbage, nor waits, nor allocates much; the tests of these events have samples. */
    private static final Set<RecordingEvent> ABSENT =
            Set.of(RecordingEvent.LOCK, RecordingEvent.GC, RecordingEvent.ALLOC_CLASS);

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    private static Command record(Jvm jvm, String event, Path file) {
        return CommandLine.run(
                "record", "-e", event, "-d", "700ms", "-o", file.toString(), "--json", Long.toString(jvm.pid()));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("R-01")
    void recordingHasEachEventOfTheTableAndRefusesEveryOther(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("CountedLoops").on(jdk).args("always").start()) {
            for (RecordingEvent event : RecordingEvent.ALL) {
                Path file = folder.resolve(event.id() + ".mayfly");
                Command done = record(jvm, event.id(), file);
                if (event.equals(RecordingEvent.ALLOC_CLASS) && !Probe.uprobes().works()) {
                    assertThat(done.exitCode()).as(done.evidence()).isNotZero();
                    continue;
                }
                assertThat(done.exitCode()).as(done.evidence()).isZero();
                assertThat(done.stdout()).contains("\"event\":\"" + event.id() + "\"");
                assertThat(CaptureReader.read(file).event().name()).isEqualTo(event.id());
                if (!ABSENT.contains(event)) {
                    assertThat(CaptureReader.read(file).sampleCount())
                            .as(event.id())
                            .isPositive();
                }
            }
            String published =
                    RecordingEvent.ALL.stream().map(RecordingEvent::id).collect(Collectors.joining(" or "));
            for (Event inside : Event.values()) {
                String word = inside.name().toLowerCase(Locale.ROOT);
                Path file = folder.resolve("refused.mayfly");
                Command refused = record(jvm, word, file);
                assertThat(refused.exitCode()).as(refused.evidence()).isEqualTo(USAGE);
                assertThat(refused.stderr()).contains("'" + word + "' cannot be sampled; use " + published);
                assertThat(file).doesNotExist();
            }
        }
    }
}
