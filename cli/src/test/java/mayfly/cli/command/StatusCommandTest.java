package mayfly.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import mayfly.attach.channel.HostStatus;
import org.junit.jupiter.api.Test;

/** The status of a profiler, as text. */
class StatusCommandTest {

    private static String running(long callbacks) {
        return StatusCommand.text(7, Optional.of(new HostStatus("active", "a.Profiler", "r1", 4096, "aa11", Duration.ZERO, false, false,
                callbacks, "detachRequested on thread 9 for 3 s", false, 0, 0, "")));
    }

    @Test
    void statusCountsACallOnTheHostThreadAsOneCallback() {
        assertThat(running(0)).endsWith("\n  1 callback runs: detachRequested on thread 9 for 3 s");
        assertThat(running(1)).endsWith("\n  1 callback runs: detachRequested on thread 9 for 3 s");
    }

    @Test
    void statusShowsTheLongestOfSeveralCallbacks() {
        assertThat(running(3)).endsWith("\n  3 callbacks run; the longest: detachRequested on thread 9 for 3 s");
    }
}
