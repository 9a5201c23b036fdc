package mayfly.cli.file;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Message;
import mayfly.report.Format;
import org.jspecify.annotations.Nullable;

/** Chooses the output format. */
public final class Formats {

    private Formats() {}

    /**
     * Returns the format of an output.
     *
     * @param word the value of {@code --format}, null if absent
     * @param file the output file, null if not named; its suffix decides if {@code word} is null
     * @throws CommandFailed if the format is unknown
     */
    public static Format choose(@Nullable String word, @Nullable Path file) throws CommandFailed {
        if (word != null) {
            return Format.ofId(word)
                    .orElseThrow(() -> Message.UNKNOWN_FORMAT.with("--format " + word, "use " + words()));
        }
        if (file == null) {
            return Format.FLAMEGRAPH;
        }
        return Format.ofFileName(String.valueOf(file.getFileName()))
                .orElseThrow(() -> Message.UNKNOWN_FORMAT.with(
                        OutputFile.name(file),
                        OutputFile.isStandardOutput(file)
                                ? "use --format with " + words()
                                : "end its name in " + suffixes() + ", or use --format"));
    }

    private static String words() {
        return alternatives(Arrays.stream(Format.values()).map(Format::id).toList());
    }

    private static String suffixes() {
        return alternatives(Arrays.stream(Format.values())
                .map(format -> format.suffixes().getFirst())
                .toList());
    }

    private static String alternatives(List<String> words) {
        return String.join(", ", words.subList(0, words.size() - 1)) + " or " + words.getLast();
    }
}
