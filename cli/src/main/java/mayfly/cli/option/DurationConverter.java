package mayfly.cli.option;

import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Converts durations such as {@code 500ms}, {@code 5s}, {@code 1.5m}, {@code 1h}, and {@code 60}, which is in seconds,
 * to whole milliseconds.
 */
public final class DurationConverter implements ITypeConverter<Duration> {
    /** Upper bound; in nanoseconds it fits a long. */
    private static final Duration MAX = Duration.ofHours(1_000_000);

    private static final int MAX_WHOLE = 9;
    private static final int MAX_FRACTION = 6;
    private static final long FRACTIONS = 1_000_000;

    // A regular expression and a BigDecimal would take 13 ms of every recording's start.
    @Override
    public Duration convert(String text) {
        int whole = digits(text, 0);
        int end = whole;
        if (end < text.length() && text.charAt(end) == '.') {
            end = digits(text, end + 1);
        }
        int fraction = end - whole - 1;
        long unit = millisOf(text.substring(end));
        if (whole == 0 || whole > MAX_WHOLE || fraction == 0 || fraction > MAX_FRACTION || unit == 0) {
            throw new TypeConversionException(
                    "'" + text + "' is not a duration; write 500ms, 5s, 2m, 1h, or 60 for 60 seconds");
        }
        long millionths = Long.parseLong(text, 0, whole, 10) * FRACTIONS;
        long scale = FRACTIONS;
        for (int i = whole + 1; i < end; i++) {
            scale /= 10;
            millionths += (text.charAt(i) - '0') * scale;
        }
        if (millionths == 0) {
            throw new TypeConversionException("a duration must be more than zero");
        }
        if (millionths % FRACTIONS * unit % FRACTIONS != 0) {
            throw new TypeConversionException("a duration must be a whole number of milliseconds, not " + text);
        }
        Duration duration =
                Duration.ofMillis(millionths / FRACTIONS * unit + millionths % FRACTIONS * unit / FRACTIONS);
        if (duration.compareTo(MAX) > 0) {
            throw new TypeConversionException("a duration must be at most " + MAX.toHours() + "h, not " + text);
        }
        return duration;
    }

    /** Returns the end of the ASCII digits from an index on. */
    private static int digits(String text, int from) {
        int end = from;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        return end;
    }

    /** Returns a unit in milliseconds; 0 if there is no such unit. */
    private static long millisOf(String unit) {
        return switch (unit) {
            case "ms" -> 1;
            case "s", "" -> 1_000;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            default -> 0;
        };
    }
}
