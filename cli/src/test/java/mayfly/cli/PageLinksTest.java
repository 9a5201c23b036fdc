package mayfly.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The links of the pages lead to existing files and headings, and the site has a place for each page. */
class PageLinksTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern FENCED = Pattern.compile("^```.*?^```", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("]\\((?![a-z]+:)([^)#\\s]*)(?:#([^)\\s]+))?\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);

    @TempDir
    private Path folder;

    @Test
    void everyLinkLeadsToAFileAndAHeading() throws IOException {
        List<Path> pages = pages();
        assertThat(pages).hasSizeGreaterThan(40);
        assertThat(pages).allSatisfy(page -> assertThat(broken(page)).isEmpty());
    }

    @Test
    void linksToMissingFilesAndHeadingsAreBroken() throws IOException {
        Path page = Files.writeString(folder.resolve("page.md"), """
            # A page: `code`, and more
            [here](#a-page-code-and-more), [there](#elsewhere), [web](https://example.org/#part), [folder](.)
            [other](other.md#second), [none](none.md), [first](other.md#first)
            ```
            [code](code.md)
            ```
            """);
        Files.writeString(folder.resolve("other.md"), "# First\n");
        assertThat(broken(page)).containsExactly("#elsewhere", "other.md#second", "none.md");
    }

    @Test
    void everyPageHasAPlaceOnTheSite() throws IOException {
        List<String> places = Files.readAllLines(ROOT.resolve("docs/mkdocs.yml")).stream()
                .map(String::strip)
                .filter(line -> line.startsWith("- "))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .toList();
        assertThat(pages()).allSatisfy(page -> {
            String path = ROOT.relativize(page).toString();
            assertThat(places).containsAnyOf(path, path.substring(0, path.lastIndexOf('/') + 1));
        });
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> atRoot = Files.list(ROOT);
                Stream<Path> below = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(atRoot, below)
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }

    private static List<String> broken(Path page) throws IOException {
        var broken = new ArrayList<String>();
        Matcher link = LINK.matcher(FENCED.matcher(Files.readString(page)).replaceAll(""));
        while (link.find()) {
            Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
            String heading = link.group(2);
            if (!Files.exists(target) || (heading != null && !headings(target).contains(heading))) {
                broken.add(link.group(1) + (heading == null ? "" : "#" + heading));
            }
        }
        return broken;
    }

    /** Returns the fragments that code hosts make of the headings. */
    private static List<String> headings(Path page) {
        try {
            return HEADING.matcher(Files.readString(page))
                    .results()
                    .map(heading -> heading.group(1)
                            .toLowerCase(Locale.ROOT)
                            .replaceAll("[^\\p{L}\\p{N} _-]", "")
                            .replace(' ', '-'))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
