package mayfly.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatuses;
import mayfly.cli.ClientSample;
import mayfly.cli.SampleStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The status of a profiler, as text. */
class StatusCommandTest {

    private final SampleStatus status = new SampleStatus();

    private String text() {
        return StatusCommand.text(7, Optional.of(status.make()));
    }

    private String running(long callbacks) {
        status.callbacks = callbacks;
        status.longest = "detachRequested on thread 9 for 3 s";
        return text();
    }

    @Test
    void statusCountsTheCollectionsForLargeRequests() {
        status.collections = 2;
        status.collecting = Duration.ofMillis(45);
        assertThat(text())
                .endsWith("\n  2 garbage collections were requested to make room for large requests, and took 45 ms");
    }

    @Test
    void statusCountsTheFramesOfReplacedCode() {
        status.framesOfReplacedCode = 3;
        assertThat(text()).endsWith("\n  3 frames still ran replaced code when the host last counted them");
    }

    @Test
    void statusCountsTheRedefinitionsThatAnAuditDoesNotKnow() {
        status.unmarkedRedefinitions = 2;
        assertThat(text())
                .endsWith("\n  2 changes of classes for probes could not be recorded: an audit takes them for another"
                        + " agent's");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "thread \"t\" in a.B.c:1|pinned by thread \"t\" in a.B.c:1",
                "referenced by a live thread -> a.B|referenced by a live thread -> a.B"
            })
    void statusNamesTheRetainerInOneSentence(String pinnedBy, String line) {
        status.state = "pinned";
        status.pinnedBy = pinnedBy;
        assertThat(text()).endsWith(" ago, without JVMTI\n  " + line);
    }

    @Test
    void statusCountsACallOnTheHostThreadAsOneCallback() {
        assertThat(running(0)).endsWith("\n  1 callback is running: detachRequested on thread 9 for 3 s");
        assertThat(running(1)).endsWith("\n  1 callback is running: detachRequested on thread 9 for 3 s");
    }

    @Test
    void statusNamesTheRuntime() {
        assertThat(running(0)).startsWith("process 7: a.Profiler is active; attached to r1 0.0 s ago, without JVMTI");
    }

    @Test
    void statusShowsTheLongestOfSeveralCallbacks() {
        assertThat(running(3))
                .endsWith("\n  3 callbacks are running; the longest: detachRequested on thread 9 for 3 s");
    }

    @Test
    void statusJsonEqualsTheSamplesOfTheClient() throws IOException {
        status.state = "pinned";
        status.attached = Duration.ofMillis(1234);
        status.jvmti = true;
        status.callbacks = 2;
        status.longest = "classLoadFinished on thread 9 for 3 s";
        status.overdue = true;
        status.lost = 5;
        status.thrown = 6;
        status.collections = 7;
        status.collecting = Duration.ofMillis(45);
        status.framesOfReplacedCode = 8;
        status.unmarkedRedefinitions = 9;
        status.pinnedBy = "referenced by a.Cache.all";
        ClientSample.compare("status.json", StatusCommand.json(7, Optional.of(status.make())));
        ClientSample.compare("status-none.json", StatusCommand.json(7, Optional.empty()));
    }

    @Test
    void profilerWhoseStateCannotBeReadIsAFailure() throws Exception {
        StatusCommand.requireKnown(7, new HostStatuses(List.of(), List.of()));
        assertThatThrownBy(() -> StatusCommand.requireKnown(7, new HostStatuses(List.of(), List.of("a newer Mayfly"))))
                .isInstanceOf(AttachFailed.class)
                .hasMessage("process 7: a newer Mayfly");
    }
}
