package mayfly.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import mayfly.cli.recording.RecordingRequest;
import mayfly.record.event.RecordingEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class StackCommandTest {
    private static RecordingRequest request(String every, String... options) {
        CommandLine parser = Command.STACK.parser();
        parser.parseArgs(options);
        return parser.<StackCommand>getCommand().request(Duration.parse(every));
    }

    @ParameterizedTest
    @CsvSource({"PT1S,1", "PT0.1S,10", "PT0.3S,3", "PT0.001S,1000"})
    void intervalOfSnapshotsIsTheRateOfTheRecording(String every, int rate) {
        assertThat(request(every, "42").options().rateHz()).isEqualTo(rate);
    }

    @Test
    void snapshotsBecomeAWallClockRecordingOfTenSecondsByThread() {
        RecordingRequest request = request("PT0.1S", "42");
        assertThat(request.options().events()).containsExactly(RecordingEvent.WALL);
        assertThat(request.options().duration()).isEqualTo(Duration.ofSeconds(10));
        assertThat(request.view().threads()).isTrue();
        assertThat(request.output()).isNull();
        assertThat(request.quiet()).isFalse();
        assertThat(request.json()).isFalse();
    }

    @Test
    void durationOutputAndQuietAreThoseOfTheCommandLine() {
        RecordingRequest request = request("PT0.1S", "-d", "3s", "-o", "x.html", "-q", "42");
        assertThat(request.options().duration()).isEqualTo(Duration.ofSeconds(3));
        assertThat(request.output()).isEqualTo(Path.of("x.html"));
        assertThat(request.quiet()).isTrue();
    }
}
