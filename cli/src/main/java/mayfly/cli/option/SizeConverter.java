package mayfly.cli.option;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts sizes such as {@code 64k}, {@code 500m} and {@code 2g}, in units of 1,024, to bytes. */
public final class SizeConverter implements ITypeConverter<Long> {
    private static final int MAX_DIGITS = 9;

    @Override
    public Long convert(String text) {
        int end = text.length() - 1;
        long unit = end < 1 || end > MAX_DIGITS ? 0 : bytesOf(text.charAt(end));
        boolean isNumber = text.chars().limit(Math.max(0, end)).allMatch(c -> c >= '0' && c <= '9');
        if (unit == 0 || !isNumber) {
            throw new TypeConversionException("'" + text + "' is not a size; write 64k, 500m or 2g");
        }
        return Long.parseLong(text, 0, end, 10) * unit;
    }

    /** Returns a unit in bytes; 0 if there is no such unit. */
    private static long bytesOf(char unit) {
        return switch (Character.toLowerCase(unit)) {
            case 'k' -> 1L << 10;
            case 'm' -> 1L << 20;
            case 'g' -> 1L << 30;
            default -> 0;
        };
    }
}
