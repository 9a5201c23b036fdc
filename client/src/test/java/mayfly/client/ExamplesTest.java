package mayfly.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The examples of the documentation compile, because they are also in {@link Examples}. */
class ExamplesTest {
    private static final Pattern BLOCK = Pattern.compile("(?s)```java\n(.*?)```");

    private static String stripped(String text) {
        return text.lines().map(String::strip).collect(Collectors.joining("\n"));
    }

    @Test
    void everyExampleOfThePageIsCompiledAndHasAtMostFiveLines() throws IOException {
        String source = stripped(Files.readString(Path.of("src/test/java/mayfly/client/Examples.java")));
        List<String> blocks = BLOCK.matcher(Files.readString(Path.of("../docs/client.md"))).results()
                .map(block -> stripped(block.group(1))).toList();
        assertThat(blocks).hasSize(5).allSatisfy(block -> {
            assertThat(source).contains(block);
            assertThat(block.lines()).hasSizeLessThanOrEqualTo(5);
        });
    }
}
