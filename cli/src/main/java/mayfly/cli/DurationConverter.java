package mayfly.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 500ms}, {@code 5s}, {@code 1.5m}, {@code 1h}, and {@code 60}, which is seconds. */
final class DurationConverter implements ITypeConverter<Duration> {
    private static final long NANOS = 1_000_000_000;
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,6})?)(ms|s|m|h|)");

    @Override
    public Duration convert(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is not a duration; write 500ms, 5s, 2m, 1h, or 60 for seconds");
        }
        Duration unit = switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(1);
            case "s", "" -> Duration.ofSeconds(1);
            case "m" -> Duration.ofMinutes(1);
            default -> Duration.ofHours(1);
        };
        BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit.toNanos()));
        BigDecimal[] seconds = nanos.divideAndRemainder(BigDecimal.valueOf(NANOS));
        Duration duration = Duration.ofSeconds(seconds[0].longValue(), seconds[1].longValue());
        if (duration.isZero()) {
            throw new TypeConversionException("a duration must be more than zero");
        }
        return duration;
    }
}
