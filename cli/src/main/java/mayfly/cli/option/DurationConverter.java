package mayfly.cli.option;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Converts durations such as {@code 500ms}, {@code 5s}, {@code 1.5m}, {@code 1h}, and {@code 60}, which is in seconds,
 * to whole milliseconds.
 */
public final class DurationConverter implements ITypeConverter<Duration> {
    /** Upper bound; in nanoseconds it fits a long. */
    private static final Duration LONGEST = Duration.ofHours(1_000_000);
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,6})?)(ms|s|m|h|)");

    @Override
    public Duration convert(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text
                    + "' is not a duration; write 500ms, 5s, 2m, 1h, or 60 for seconds");
        }
        Duration unit = switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(1);
            case "s", "" -> Duration.ofSeconds(1);
            case "m" -> Duration.ofMinutes(1);
            default -> Duration.ofHours(1);
        };
        BigDecimal millis = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit.toMillis()));
        if (millis.signum() == 0) {
            throw new TypeConversionException("a duration must be more than zero");
        }
        if (millis.stripTrailingZeros().scale() > 0) {
            throw new TypeConversionException("a duration must be a whole number of milliseconds, not " + text);
        }
        if (millis.compareTo(BigDecimal.valueOf(LONGEST.toMillis())) > 0) {
            throw new TypeConversionException("a duration must be at most " + LONGEST.toHours() + "h, not " + text);
        }
        return Duration.ofMillis(millis.longValueExact());
    }
}
