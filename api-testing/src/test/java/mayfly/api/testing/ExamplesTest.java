package mayfly.api.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of the documentation compile, because they are also in {@link Examples}. */
class ExamplesTest {
    private static final Pattern BLOCK = Pattern.compile("(?s)```java\n(.*?)```");

    /** Returns the text without white space: the formatter breaks the lines of the code, and not those of the page. */
    private static String packed(String text) {
        return text.replaceAll("\\s+", "");
    }

    @Test
    void everyExampleOfThePageIsCompiled() throws IOException {
        String source = packed(Files.readString(Path.of("src/test/java/mayfly/api/testing/Examples.java")));
        List<String> blocks = BLOCK.matcher(Files.readString(Path.of("../docs/test-kit.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(blocks).hasSize(4).allSatisfy(block -> assertThat(source).contains(packed(block)));
    }
}
