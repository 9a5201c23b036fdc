package mayfly.cli;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import mayfly.report.Format;
import org.jspecify.annotations.Nullable;

/** Which format is wanted. */
final class Formats {

    private Formats() {
    }

    /**
     * @param word what {@code --format} says, if anything
     * @param file where it goes, if named; its suffix decides if {@code word} does not
     */
    static Format choose(@Nullable String word, @Nullable Path file) throws CommandFailed {
        if (word != null) {
            return Format.ofId(word).orElseThrow(() -> Message.UNKNOWN_FORMAT.with("--format " + word, words()));
        }
        if (file == null) {
            return Format.FLAMEGRAPH;
        }
        return Format.ofFileName(String.valueOf(file.getFileName()))
                .orElseThrow(() -> Message.UNKNOWN_FORMAT.with(OutputFile.name(file), words()));
    }

    private static String words() {
        return Arrays.stream(Format.values()).map(format -> format.suffixes().getFirst())
                .collect(Collectors.joining(", "));
    }
}
