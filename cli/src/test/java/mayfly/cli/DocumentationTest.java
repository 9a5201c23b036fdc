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
import java.util.stream.Stream;
import mayfly.api.Status;
import mayfly.cli.output.Message;
import mayfly.discovery.Refused;
import org.junit.jupiter.api.Test;

/** The documentation agrees with the code. */
class DocumentationTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    @Test
    void everyMessageIdHasATroubleshootingSection() throws IOException {
        List<String> headings = Files.readAllLines(ROOT.resolve("docs/troubleshooting.md")).stream()
                .filter(line -> line.startsWith("### "))
                .map(line -> line.substring(4))
                .toList();
        assertThat(headings)
                .containsAll(Arrays.stream(Message.values()).map(Message::id).toList());
        assertThat(headings)
                .containsAll(Arrays.stream(Refused.Reason.values())
                        .map(Refused.Reason::id)
                        .toList());
        assertThat(headings)
                .containsAll(Arrays.stream(Status.values())
                        .filter(status -> status != Status.OK)
                        .map(Message::id)
                        .toList());
        assertThat(headings).containsAll(idsOfTheLaunchers());
    }

    /** Returns the ids in the launcher of a checkout, that of an archive, and the scripts that make an archive. */
    private static List<String> idsOfTheLaunchers() throws IOException {
        List<Path> files = new ArrayList<>(List.of(ROOT.resolve("mayfly")));
        for (String folder : List.of("c", "sh")) {
            try (Stream<Path> all = Files.list(ROOT.resolve("cli/src/main").resolve(folder))) {
                files.addAll(all.toList());
            }
        }
        var ids = new ArrayList<String>();
        for (Path file : files) {
            Matcher said = Pattern.compile("\\[([a-z-]+)]\"").matcher(Files.readString(file));
            while (said.find()) {
                ids.add(said.group(1));
            }
        }
        assertThat(ids).contains("no-jdk", "no-maven", "no-proc", "no-start", "no-compiler", "no-glibc");
        return ids;
    }

    @Test
    void exitCodesPageEqualsTheMappingsOfTheCode() throws IOException {
        Path page = ROOT.resolve("docs/exit-codes.md");
        String text = Files.readString(page);
        assertGenerated(page, ExitCodesPage.markdown(text));
    }

    @Test
    void everyBenchmarkTableNamesItsCommit() throws IOException {
        List<String> lines = Files.readAllLines(ROOT.resolve("docs/benchmarks.md"));
        List<String> measured =
                lines.stream().filter(line -> line.startsWith("Measured ")).toList();
        assertThat(measured)
                .hasSameSizeAs(lines.stream()
                        .filter(line -> line.startsWith("<!-- begin "))
                        .toList())
                .allMatch(line -> line.matches(".*; (recorded by )?commit [0-9a-f]{12}\\+?[.] Command: .*"));
    }

    @Test
    void commandLinePageEqualsTheOptionDefinitions() throws IOException {
        assertGenerated(ROOT.resolve("docs/cli.md"), CommandLinePage.markdown());
    }

    private static void assertGenerated(Path page, String expected) throws IOException {
        if ("write".equals(System.getProperty("golden"))) {
            Files.writeString(page, expected);
        }
        assertThat(page)
                .as("rewritten by: mvn -pl cli -am verify -Dgolden=write")
                .exists();
        assertThat(page)
                .as("rewritten by: mvn -pl cli -am verify -Dgolden=write")
                .content()
                .isEqualTo(expected);
    }
}
