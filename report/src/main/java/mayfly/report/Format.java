package mayfly.report;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The output formats of a profile. */
public enum Format {
    /** One self-contained HTML file. */
    FLAMEGRAPH("html", List.of(".html", ".htm")),
    /** A line for each distinct stack, with its weight. */
    COLLAPSED("collapsed", List.of(".collapsed", ".folded")),
    /** Gzipped protocol buffers, for go tool pprof. */
    PPROF("pprof", List.of(".pb.gz", ".pprof")),
    /** JSON for speedscope. */
    SPEEDSCOPE("speedscope", List.of(".speedscope.json")),
    /** The hottest frames and their callers, as readable text. */
    TEXT("text", List.of(".txt", ".text")),
    /** The recording itself. */
    CAPTURE("mayfly", List.of(".mayfly"));

    private final String id;
    private final List<String> suffixes;

    Format(String id, List<String> suffixes) {
        this.id = id;
        this.suffixes = suffixes;
    }

    /** Returns the value for {@code --format}. */
    public String id() {
        return id;
    }

    /** Returns the file name suffixes, the usual one first. */
    public List<String> suffixes() {
        return suffixes;
    }

    /** Returns the format that matches the suffix of a file name. */
    public static Optional<Format> ofFileName(String fileName) {
        String lower = fileName.toLowerCase(Locale.ROOT);
        for (Format format : values()) {
            if (format.suffixes.stream().anyMatch(lower::endsWith)) {
                return Optional.of(format);
            }
        }
        return Optional.empty();
    }

    /** Returns the format with the given value of {@code --format}. */
    public static Optional<Format> ofId(String id) {
        for (Format format : values()) {
            if (format.id.equals(id.toLowerCase(Locale.ROOT))) {
                return Optional.of(format);
            }
        }
        return Optional.empty();
    }
}
