package mayfly.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import mayfly.attach.channel.AttachFailed;
import mayfly.cli.command.Command;
import mayfly.cli.help.HelpPage;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.ExitCodes;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.discovery.Refused;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
    private final Locale locale = Locale.getDefault();
    private final Captured captured = new Captured();

    @AfterEach
    void restoreLocale() {
        Locale.setDefault(locale);
    }

    @Test
    void helpGoesToStdoutAndNamesEveryCommand() {
        assertThat(captured.run("--help")).isZero();
        for (Command command : Command.values()) {
            assertThat(captured.out()).contains("  " + command.word() + " ");
        }
        assertThat(captured.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ps", "doctor", "record 1", "stack 1", "demo", "run -- true", "audit 1", "status 1", "detach 1"})
    void everyCommandIsRefusedOnAnotherCpuByName(String line) {
        String machine = System.setProperty("os.arch", "aarch64");
        try {
            assertThat(captured.run(line.split(" "))).isEqualTo(ExitCode.UNSUPPORTED.code());
        } finally {
            System.setProperty("os.arch", machine);
        }
        assertThat(captured.err())
                .contains("aarch64", "x86-64", "[unsupported-kernel]")
                .hasLineCount(1);
        assertThat(captured.out()).isEmpty();
    }

    @Test
    void helpIsPrintedOnAnotherCpu() {
        String machine = System.setProperty("os.arch", "aarch64");
        try {
            assertThat(captured.run("record", "--help")).isZero();
        } finally {
            System.setProperty("os.arch", machine);
        }
        assertThat(captured.out()).contains("mayfly record");
    }

    @Test
    void overviewFitsTheTerminal() {
        for (String columns : new String[] {"40", "50", "80", "200"}) {
            for (boolean asked : new boolean[] {true, false}) {
                var narrow = new Captured().with("COLUMNS", columns);
                narrow.run(asked ? new String[] {"--help"} : new String[0]);
                assertThat((narrow.out() + narrow.err()).lines())
                        .as("%s columns", columns)
                        .isNotEmpty()
                        .allMatch(line -> line.length() <= Math.min(Integer.parseInt(columns), 100));
            }
        }
    }

    @Test
    void psAndDoctorOutputFitsTheTerminal() {
        for (String command : new String[] {"ps", "doctor"}) {
            var narrow = new Captured().asTerminal().with("COLUMNS", "50").with("NO_COLOR", "1");
            narrow.run(command);
            assertThat(narrow.out().lines()).as(command).isNotEmpty().allMatch(line -> line.length() <= 50);
        }
    }

    @Test
    void missingCommandIsAUsageErrorOnStderr() {
        assertThat(captured.run()).isEqualTo(2);
        assertThat(captured.out()).isEmpty();
        assertThat(captured.err()).contains("usage: mayfly COMMAND");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "frobnicate, there is no command 'frobnicate'",
                "record, Missing required parameter",
                "record -d 5x 1, write 500ms",
                "record -d 0s 1, more than zero",
                "record -F 0 1, from 1 to 1000000 Hz",
                "record -F 2000000000 1, from 1 to 1000000 Hz",
                "record -F x 1, 'x' is not a whole number",
                "record -e gpu 1, 'gpu' cannot be sampled",
                "record -e wall --collector per-thread 1, ptrace only",
                "stack, Missing required parameter",
                "stack --every 5x 1, write 500ms",
                "stack --every 2s 1, at most 1s",
                "stack -d 5s 1, --every",
                "stack --every 100ms --json 1, --every",
                "record --collector magic 1, 'magic' is not a collector",
                "record --runtime x17 1, 'x17' does not denote a runtime",
                "record --runtime all 1, 'all' is not one runtime",
                "record -o profile.doc 1, no format is known for profile.doc; end its name in .html",
                "record --format doc 1, no format is known for --format doc; use html",
                "record --frobnicate 1, Unknown option",
                "run, Missing required parameter",
                "convert a.mayfly, Missing required parameter",
                "ps extra, Unmatched argument",
                "record -o - 1, no format is known for standard output",
                "record -o - --format html --json 1, both print on standard output",
                "run -o - --format html -- true, standard output is the program's",
                "demo -o -, name a file with -o",
                "stack --at 12 1, '12' is not an address",
                "stack --at 0x1 --together 1, --at permits only",
                "stack --at 0x1 --every 100ms 1, --every permits only",
                "stack --every 100ms -o - 1, record -e wall -t -o - --format FORMAT",
            })
    void wrongCommandLineIsExitCode2WithOneMessageAndTheUsage(String line, String said) {
        assertThat(captured.run(line.split(" "))).isEqualTo(2);
        assertThat(captured.out()).isEmpty();
        assertThat(captured.err()).startsWith("mayfly: ").contains(said);
        String usage = "  usage: mayfly " + line.split(" ")[0] + " [options]";
        boolean hasUsage = Command.named(line.split(" ")[0]) != null;
        assertThat(captured.err().lines().skip(1))
                .hasSizeLessThanOrEqualTo(2)
                .allMatch(advice -> advice.startsWith("  usage: mayfly ") || advice.startsWith("  did you mean "))
                .filteredOn(advice -> advice.startsWith(usage))
                .hasSize(hasUsage ? 1 : 0);
    }

    @Test
    void unknownOneLetterOptionGetsNoSuggestion() {
        assertThat(captured.run("ps", "-x")).isEqualTo(2);
        assertThat(captured.err()).doesNotContain("did you mean");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "recrod, did you mean mayfly record?",
                "conv, did you mean mayfly convert?",
                "recordd, did you mean mayfly record?",
                "--hlep, did you mean mayfly --help?",
                "--versoin, did you mean mayfly --version?",
                "record --thread x 14429, did you mean --threads?",
                "record --ouput x 1, did you mean --output?",
                "stack --togehter 1, did you mean --together?",
            })
    void mistypedWordGetsTheClosestSuggestion(String line, String said) {
        assertThat(captured.run(line.split(" "))).isEqualTo(2);
        assertThat(captured.err()).contains(said);
    }

    @Test
    void helpShowsTheDefaultDurationOfEachCommand() {
        var defaults = Map.of("record", "30s.", "run", "until the program ends.", "demo", "5s.");
        defaults.forEach((word, said) -> {
            var help = new Captured().with("COLUMNS", "200");
            help.run(word, "--help");
            assertThat(help.out().replaceAll("\\s+", " ")).contains("5s, 2m, or 60 for 60 seconds. Default: " + said);
        });
    }

    @ParameterizedTest
    @EnumSource(Command.class)
    void helpOptionIsListedLast(Command command) {
        captured.run(command.word(), "--help");
        assertThat(captured.out().lines().filter(line -> line.startsWith("  -")))
                .last()
                .asString()
                .startsWith("  -h, --help");
    }

    @Test
    void unknownOptionIsNamedWithoutLaterArguments() {
        captured.run("record", "--thread", "x", "14429");
        assertThat(captured.err().lines().findFirst().orElseThrow())
                .contains("Unknown option: '--thread'")
                .doesNotContain("14429");
    }

    @Test
    void versionIsPrintedForEveryUsualSpelling() {
        for (String word : new String[] {"-v", "-V", "--version", "version"}) {
            var asked = new Captured();
            assertThat(asked.run(word)).isZero();
            assertThat(asked.out()).startsWith("mayfly ");
        }
    }

    @ParameterizedTest
    @EnumSource(Command.class)
    void helpWrapsBetweenWordsAtAnyWidth(Command command) {
        for (String columns : new String[] {"40", "50", "60", "80", "200"}) {
            var narrow = new Captured().with("COLUMNS", columns);
            narrow.run(command.word(), "--help");
            assertThat(narrow.out().lines())
                    .allMatch(line -> line.length() <= Math.min(Integer.parseInt(columns), 100));
            String words = narrow.out().replaceAll("\\s+", " ");
            command.parser()
                    .getCommandSpec()
                    .options()
                    .forEach(option -> assertThat(words).contains(HelpPage.description(option)));
        }
    }

    @Test
    void failedWriteToStdoutIsAnErrorUnlessThePipeIsBroken() {
        assertThat(Main.run(new String[] {"--version"}, captured.withOutput(failing(), false)))
                .isEqualTo(1);
        assertThat(captured.err()).contains("cannot write standard output");
        var silent = new Captured();
        assertThat(Main.run(new String[] {"--version"}, silent.withOutput(failing(), true)))
                .isEqualTo(141);
        assertThat(silent.err()).isEmpty();
    }

    private static PrintStream failing() {
        return new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                },
                true,
                StandardCharsets.UTF_8);
    }

    @Test
    void messagesAreTheSameInAnyLocale() {
        captured.run("record", "-F", "0", "1");
        for (String tag : new String[] {"tr-TR", "ar-EG", "de-DE"}) {
            Locale.setDefault(Locale.forLanguageTag(tag));
            var other = new Captured();
            other.run("record", "-F", "0", "1");
            assertThat(other.err()).isEqualTo(captured.err());
        }
    }

    @ParameterizedTest
    @EnumSource(Command.class)
    void everyCommandHasHelpOnStdout(Command command) {
        assertThat(captured.run(command.word(), "--help")).isZero();
        assertThat(captured.out()).contains("mayfly " + command.word());
        assertThat(captured.err()).isEmpty();
    }

    @Test
    void internalErrorIsOneMessageWithoutStackTrace() {
        Terminal broken = new Terminal(
                new java.io.PrintStream(java.io.OutputStream.nullOutputStream()) {
                    @Override
                    public void println(String x) {
                        throw new IllegalStateException("out of order");
                    }
                },
                captured.terminal().err(),
                false,
                false,
                false,
                java.util.Map.of());
        assertThat(Main.run(new String[] {"--version"}, broken)).isEqualTo(1);
        assertThat(captured.err())
                .contains("defect", "out of order", "[internal-error]", "MAYFLY_DEBUG")
                .doesNotContain("\tat ");
    }

    @Test
    void anUnknownNameIsExitCode3() {
        assertThat(captured.run("record", "no.such.Main\u001b[2J")).isEqualTo(3);
        assertThat(captured.err()).contains("[no-such-process]").doesNotContain("\u001b");
    }

    @Test
    void convertOfANonCaptureIsExitCode1WithoutOutput(@TempDir Path dir) throws Exception {
        Path in = Files.writeString(dir.resolve("in.mayfly"), "not a capture");
        assertThat(captured.run(
                        "convert", in.toString(), dir.resolve("out.html").toString()))
                .isEqualTo(1);
        assertThat(captured.err()).contains("[not-a-capture]").hasLineCount(1);
        assertThat(dir.toFile().list()).containsExactly("in.mayfly");
    }

    @Test
    void convertOfAMissingFileIsExitCode1(@TempDir Path dir) {
        assertThat(captured.run("convert", dir.resolve("in.mayfly").toString(), "x.html"))
                .isEqualTo(1);
        assertThat(captured.err()).contains("no such file", "[input]");
    }

    @Test
    void unusableOutputIsReportedBeforeAnythingElse(@TempDir Path dir) {
        assertThat(captured.run("record", "-o", dir.resolve("no/such/x.html").toString(), "1"))
                .isEqualTo(1);
        assertThat(captured.err()).contains("there is no directory", "[output]");
    }

    @Test
    void psJsonIsAnArray() {
        assertThat(captured.run("ps", "--json")).isZero();
        assertThat(captured.out()).startsWith("[").endsWith("]\n");
    }

    @ParameterizedTest
    @EnumSource(Refused.Reason.class)
    void everyRefusalHasAnExitCodeOfAFailure(Refused.Reason reason) {
        assertThat(ExitCodes.of(reason)).isNotIn(ExitCode.DONE, ExitCode.NO_JDK);
    }

    @ParameterizedTest
    @EnumSource(Refused.Reason.class)
    void attachExitsAsTheOtherCommandsForTheSameRefusal(Refused.Reason reason) {
        var refusal = new Refused(reason, "process 7", "advice");
        CommandFailed attach = Message.of(new AttachFailed(refusal));
        assertThat(attach.exitCode()).isEqualTo(Message.of(refusal).exitCode());
        assertThat(attach.id()).isEqualTo(reason.id());
    }

    @Test
    void statusOfAnUnknownPidIsExitCode3() {
        assertThat(captured.run("status", "999999999")).isEqualTo(ExitCode.NOT_FOUND.code());
        assertThat(captured.err()).contains("[no-such-process]");
    }
}
