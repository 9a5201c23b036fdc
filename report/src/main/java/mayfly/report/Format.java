package mayfly.report;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What a profile can be written as. */
public enum Format {
    /** One self-contained HTML file. */
    FLAMEGRAPH("html", List.of(".html", ".htm")),
    /** A line for each distinct stack, with its weight. */
    COLLAPSED("collapsed", List.of(".collapsed", ".folded")),
    /** Gzipped protocol buffers, for go tool pprof. */
    PPROF("pprof", List.of(".pb.gz", ".pprof")),
    /** JSON for speedscope. */
    SPEEDSCOPE("speedscope", List.of(".speedscope.json")),
    /** What is hot and who calls it, to read. */
    TEXT("text", List.of(".txt", ".text")),
    /** The recording itself. */
    CAPTURE("mayfly", List.of(".mayfly"));

    private final String id;
    private final List<String> suffixes;

    Format(String id, List<String> suffixes) {
        this.id = id;
        this.suffixes = suffixes;
    }

    /** The word for {@code --format}. */
    public String id() {
        return id;
    }

    /** File name endings, the usual one first. */
    public List<String> suffixes() {
        return suffixes;
    }

    /** The format that a file's name asks for by its ending. */
    public static Optional<Format> ofFileName(String fileName) {
        String lower = fileName.toLowerCase(Locale.ROOT);
        for (Format format : values()) {
            if (format.suffixes.stream().anyMatch(lower::endsWith)) {
                return Optional.of(format);
            }
        }
        return Optional.empty();
    }

    /** The format of this name, as {@code --format} has it. */
    public static Optional<Format> ofId(String id) {
        for (Format format : values()) {
            if (format.id.equals(id.toLowerCase(Locale.ROOT))) {
                return Optional.of(format);
            }
        }
        return Optional.empty();
    }
}
