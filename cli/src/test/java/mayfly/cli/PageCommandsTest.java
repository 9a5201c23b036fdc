package mayfly.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.cli.command.Command;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

/** The commands that the introductory pages quote have correct options and arguments. */
class PageCommandsTest {
    private static final Path DOCS = Path.of("").toAbsolutePath().getParent().resolve("docs");

    /** A code span, or a line of an indented block with the lines that continue it. */
    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`|^ {4}((?:.*\\\\\n)*.*)$", Pattern.MULTILINE);

    /** The program or its image, followed by a command. The line may begin with another program that starts it. */
    private static final Pattern COMMAND = Pattern.compile("(?:^|.* )(?:(?:\\S*/)?mayfly|mayfly:VERSION) ([a-z].*)");

    /** A redirection, the rest of a pipe, or a comment, none of which the shell passes to Mayfly. */
    private static final Pattern OF_THE_SHELL = Pattern.compile("\\s+(?:[>|]|#\\s).*");

    @ParameterizedTest
    @CsvSource({"coming-from.md, 30", "kubernetes.md, 10", "../README.md, 10"})
    void everyCommandOnThePageParses(String page, int atLeast) throws IOException {
        assertAllParse(commands(Files.readString(DOCS.resolve(page))), atLeast);
    }

    /** The other sections name commands without their arguments. */
    @Test
    void everyCommandOfTheFirstStepsParses() throws IOException {
        String page = Files.readString(DOCS.resolve("troubleshooting.md"));
        assertAllParse(commands(page.substring(page.indexOf("## First steps"), page.indexOf("## The target"))), 15);
    }

    private static void assertAllParse(List<String> commands, int atLeast) {
        assertThat(commands).hasSizeGreaterThan(atLeast);
        assertThat(commands).allSatisfy(command -> assertThat(mistake(command)).isNull());
    }

    @Test
    void commandsOfSpansAndIndentedLinesAreFound() {
        assertThat(commands("""
            Use `mayfly ps` or `asprof list`, and `mayfly` alone is no command, nor is `mayfly:VERSION`.

                mayfly record -d 1m PID       # one minute
                kubectl debug POD --target=app -- \\
                    mayfly stack PID > out.txt
                docker run --entrypoint mayfly mayfly:VERSION doctor PID | less
                docker cp mayfly-VERSION app:/tmp/mayfly
                docker exec app /tmp/mayfly/mayfly audit 1
            """)).containsExactly("ps", "record -d 1m PID", "stack PID", "doctor PID", "audit 1");
    }

    @Test
    void unknownOptionCommandOrValueIsAMistake() {
        assertThat(mistake("record -d 30s PID")).isNull();
        assertThat(mistake("record --for 30s PID")).contains("--for");
        assertThat(mistake("record -d soon PID")).contains("soon");
        assertThat(mistake("record -d 30s")).contains("PID|NAME");
        assertThat(mistake("profile PID")).contains("profile");
    }

    static List<String> commands(String page) {
        var commands = new ArrayList<String>();
        Matcher code = CODE.matcher(page);
        while (code.find()) {
            String text = code.group(1) == null ? code.group(2).replaceAll("\\\\\n\\s*", "") : code.group(1);
            Matcher command = COMMAND.matcher(text);
            if (command.matches()) {
                commands.add(
                        OF_THE_SHELL.matcher(command.group(1)).replaceFirst("").strip());
            }
        }
        return commands;
    }

    /** Returns the parser's message, or null if the words after "mayfly" are correct. */
    static @Nullable String mistake(String words) {
        // The launcher has this command, in a checkout.
        if (words.equals("dist")) {
            return null;
        }
        String[] typed = words.split("\\s+");
        Command command = Command.named(typed[0]);
        if (command == null) {
            return "there is no command " + typed[0];
        }
        try {
            command.parser().parseArgs(Arrays.copyOfRange(typed, 1, typed.length));
            return null;
        } catch (ParameterException e) {
            return e.getMessage();
        }
    }
}
