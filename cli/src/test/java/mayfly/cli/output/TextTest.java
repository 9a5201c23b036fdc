package mayfly.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import mayfly.cli.Captured;
import mayfly.cli.command.PsCommand;
import mayfly.cli.option.DurationConverter;
import mayfly.discovery.ProcessUsage;
import mayfly.discovery.RuntimeRow;
import mayfly.profile.RuntimeId;
import mayfly.report.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.TypeConversionException;

class TextTest {

    @Test
    void controlCharactersAreReplaced() {
        assertThat(Text.printable("a\u001b[31mb\r\n\t\u202ec\u2028d\u0000\ud800"))
                .isEqualTo("a?[31mb????c?d??");
        assertThat(Text.printable("grüße 日本 😀")).isEqualTo("grüße 日本 😀");
    }

    @Test
    void untrustedBytesAreEscapedOnATerminalAndRawInAFile() {
        byte[] sent = "a\u001b]0;owned\u0007\tb\nc\r\u202e".getBytes(StandardCharsets.UTF_8);
        Captured person = new Captured().asTerminal();
        person.terminal().printUntrusted(sent);
        assertThat(person.out()).isEqualTo("a\\u001b]0;owned\\u0007\tb\nc\\u000d\\u202e\n");
        Captured pipe = new Captured();
        pipe.terminal().printUntrusted(sent);
        assertThat(pipe.out()).isEqualTo(new String(sent, StandardCharsets.UTF_8) + "\n");
    }

    @Test
    void longTextIsTruncated() {
        assertThat(Text.printable("x".repeat(70_000))).hasSizeLessThan(500).endsWith("...");
    }

    @Test
    void shareBelowAllSamplesIsNotRoundedTo100Percent() {
        assertThat(Text.percent(99_999, 100_000)).isEqualTo("99.99 %");
        assertThat(Text.percent(7, 7)).isEqualTo("100.00 %");
        assertThat(Text.percent(0, 0)).isEqualTo("-");
    }

    @Test
    void durationsAreParsedAndFormatted() {
        var converter = new DurationConverter();
        for (String text : List.of("500ms", "5s", "2m", "1500ms", "90s")) {
            assertThat(Text.duration(converter.convert(text))).isEqualTo(text);
        }
        assertThat(converter.convert("60")).isEqualTo(Duration.ofSeconds(60));
        assertThat(converter.convert("1h")).isEqualTo(Duration.ofHours(1));
        assertThat(converter.convert("1.5")).isEqualTo(Duration.ofMillis(1_500));
        assertThat(converter.convert("0.5h")).isEqualTo(Duration.ofMinutes(30));
        assertThat(converter.convert("1000000h").toNanos()).isEqualTo(3_600_000_000_000_000_000L);
        for (String text : List.of(
                "1000001h",
                "999999999h",
                "0.5ms",
                "1.0005s",
                "",
                "5x",
                "-5",
                "-5s",
                "5 s",
                "s",
                "0s",
                "0.0s",
                "5S",
                "99999999999s",
                "1.s",
                ".5s",
                "1,5s",
                "1.5.5s",
                "٥s")) {
            assertThatThrownBy(() -> converter.convert(text)).as(text).isInstanceOf(TypeConversionException.class);
        }
    }

    @Test
    void jsonEscapesQuotesAndLineBreaks() {
        assertThat(new Json()
                        .beginObject()
                        .name("a\"b")
                        .value("\\\n\u2028é")
                        .name("n")
                        .value(-1)
                        .name("t")
                        .value(true)
                        .name("e")
                        .beginArray()
                        .endArray()
                        .endObject()
                        .toString())
                .isEqualTo("{\"a\\\"b\":\"\\\\\\u000a\\u2028\\u00e9\",\"n\":-1,\"t\":true,\"e\":[]}");
    }

    @Test
    void psAlignsItsColumnsForAnyNames() {
        var rows = List.of(
                new RuntimeRow(
                        7,
                        new RuntimeId(1),
                        0x7f0000001000L,
                        "17.0.15+6",
                        "org.example.Main",
                        "--port 80",
                        "alice",
                        new ProcessUsage(9_000_000_000L, 93_784_000_000_000L, 1.234),
                        List.of()),
                new RuntimeRow(
                        12345,
                        null,
                        0,
                        "",
                        "evil\u001b]0;x\u0007",
                        "",
                        "bob",
                        new ProcessUsage(0, 7_000_000_000L, -1),
                        List.of("agent.jar")));
        assertThat(PsCommand.table(rows, Integer.MAX_VALUE, false))
                .containsExactly(
                        "PID    RUNTIME  VERSION    USER   CPU    UPTIME  ATTACHED   MAIN CLASS",
                        "7      r1       17.0.15+6  alice  123 %  1d 2h   -          org.example.Main",
                        "12345  -        -          bob    -      7s      agent.jar  evil?]0;x?");
        assertThat(PsCommand.json(rows, false))
                .contains("\"pid\":12345,\"runtime\":\"\",", "\"attached\":[\"agent.jar\"]")
                .doesNotContain("\u001b", "--port");
    }

    @Test
    void psShowsUntrustedArgumentsOnRequestOnly() {
        var rows = List.of(row(7, "--port 8080"), row(8, "\u001b]0;owned\u0007" + "x".repeat(900)));
        assertThat(PsCommand.table(rows, 80, true))
                .containsExactly(
                        "PID  RUNTIME  VERSION  USER   CPU  UPTIME  MAIN CLASS AND ARGUMENTS",
                        "7    r1       25       alice  0 %  2s      a.Main --port 8080",
                        "8    r1       25       alice  0 %  2s      a.Main ?]0;owned?" + "x".repeat(19) + "…")
                .allMatch(line -> line.length() <= 80);
        assertThat(PsCommand.table(rows, 10_000, true)).last().asString().endsWith("?" + "x".repeat(900));
        assertThat(PsCommand.table(rows, 80, false)).last().asString().endsWith("  a.Main");
        assertThat(PsCommand.json(rows, true))
                .contains("\"mainClass\":\"a.Main\",\"arguments\":\"--port 8080\",")
                .contains("\\u001b]0;owned")
                .doesNotContain("\u001b");
    }

    private static RuntimeRow row(int pid, String arguments) {
        return new RuntimeRow(
                pid,
                new RuntimeId(1),
                0x7f0000001000L,
                "25",
                "a.Main",
                arguments,
                "alice",
                new ProcessUsage(0, 2_000_000_000L, 0),
                List.of());
    }

    @Test
    void psInANarrowTerminalKeepsTheEndsOfMainClasses() {
        var rows = List.of(new RuntimeRow(
                14857,
                new RuntimeId(1),
                0x7f0000001000L,
                "17.0.15+6-Debian-1deb12u1",
                "com.example.orders.service.OrderServer",
                "",
                "root",
                new ProcessUsage(0, 2_000_000_000L, 0),
                List.of()));
        assertThat(PsCommand.table(rows, 80, false))
                .containsExactly(
                        "PID    RUNTIME  VERSION  USER  CPU  UPTIME  MAIN CLASS",
                        "14857  r1       17.0.15  root  0 %  2s      ….example.orders.service.OrderServer");
        assertThat(PsCommand.table(rows, 57, false))
                .last()
                .isEqualTo("14857  r1       17.0.15  0 %  …orders.service.OrderServer");
        assertThat(PsCommand.table(rows, 40, false)).last().isEqualTo("14857  17.0.15  …ers.service.OrderServer");
        assertThat(PsCommand.table(rows, 20, false)).last().isEqualTo("14857  ….OrderServer");
    }

    @Test
    void psInANarrowTerminalKeepsTheMainClassesIfAnAgentIsAttached() {
        var rows = List.of(new RuntimeRow(
                14857,
                new RuntimeId(1),
                0x7f0000001000L,
                "17.0.15+6",
                "com.example.orders.service.OrderServer",
                "",
                "root",
                new ProcessUsage(0, 2_000_000_000L, 0),
                List.of("libasyncProfiler.so")));
        assertThat(PsCommand.table(rows, 50, false))
                .last()
                .isEqualTo("14857  libasyncProfiler.so  …s.service.OrderServer");
    }

    @Test
    void progressReportsIdlenessAfterThreeSeconds() {
        var captured = new Captured().asTerminal();
        var line = new ProgressLine(captured.terminal(), false, Duration.ofSeconds(30));
        line.tick(100, 1_000_000_000L, 0);
        assertThat(line.line(100, 2_900_000_000L, 0)).isEqualTo("2s of 30s, 100 samples, 34 a second (Ctrl-C ends)");
        assertThat(line.line(100, 4_000_000_000L, 2)).contains("2 lost", "idle: no CPU used for 3s");
        line.close();
        assertThat(captured.err()).endsWith("\r\u001b[K");
    }

    @ParameterizedTest
    @CsvSource({
        "60, 2, 2s of 1m 0s",
        "60, 59, 59s of 1m 0s",
        "120, 60, 1m 0s of 2m 0s",
        "120, 61, 1m 1s of 2m 0s",
        "90, 75, 1m 15s of 1m 30s",
        "7200, 3661, 1h 1m of 2h 0m",
        "0, 59, 59s",
        "0, 60, 1m 0s",
        "0, 61, 1m 1s",
        "1.5, 1, 1s of 1.5s",
    })
    void progressHasTheSameUnitsForBothTimes(double limit, long elapsed, String shown) {
        var captured = new Captured().asTerminal();
        try (var line = new ProgressLine(captured.terminal(), false, Duration.ofMillis((long) (limit * 1_000)))) {
            assertThat(line.line(1, elapsed * 1_000_000_000L, 0)).startsWith(shown + ", 1 sample, ");
        }
    }

    @Test
    void progressFitsTheTerminal() {
        var captured = new Captured().asTerminal().with("COLUMNS", "40");
        try (var line = new ProgressLine(captured.terminal(), false, Duration.ofSeconds(30))) {
            line.tick(1_000_000, 9_000_000_000L, 123);
        }
        assertThat(captured.err().split("\r\u001b\\[K"))
                .filteredOn(drawn -> !drawn.isEmpty())
                .singleElement()
                .asString()
                .startsWith("9s of 30s, 1,000,000 samples")
                .hasSize(39);
    }

    @Test
    void progressIsPrintedOnTerminalsOnly() {
        var captured = new Captured();
        try (var line = new ProgressLine(captured.terminal(), false, Duration.ZERO)) {
            line.tick(1, 1, 0);
        }
        var dumb = new Captured().asTerminal().with("TERM", "dumb");
        try (var line = new ProgressLine(dumb.terminal(), false, Duration.ZERO)) {
            line.tick(1, 1, 0);
        }
        assertThat(captured.err() + dumb.err()).isEmpty();
    }

    @Test
    void noColorDisablesColour() {
        assertThat(new Captured().asTerminal().terminal().outInColour()).isTrue();
        assertThat(new Captured().asTerminal().with("NO_COLOR", "1").terminal().outInColour())
                .isFalse();
        assertThat(new Captured().terminal().outInColour()).isFalse();
    }
}
