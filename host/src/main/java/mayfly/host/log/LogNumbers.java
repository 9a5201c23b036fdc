package mayfly.host.log;

/** Numbers in lines of the log. */
final class LogNumbers {
    /** More digits could overflow. */
    private static final int MAX_DIGITS = 18;

    private static final int MAX_HEX_DIGITS = 16;
    private static final int DECIMAL = 10;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private LogNumbers() {}

    /** Returns the number that these characters are, or -1. */
    static long decimal(String line, int from, int to) {
        if (from < 0 || from >= to || to - from > MAX_DIGITS) {
            return -1;
        }
        long number = 0;
        for (int i = from; i < to; i++) {
            int digit = line.charAt(i) - '0';
            if (digit < 0 || digit >= DECIMAL) {
                return -1;
            }
            number = DECIMAL * number + digit;
        }
        return number;
    }

    /** Returns the number of the digits that begin here, or -1 if there are none. */
    static long decimalAt(String line, int from) {
        return from < 0 ? -1 : decimal(line, from, afterDigits(line, from));
    }

    /** Returns the index after the digits that begin here. */
    static int afterDigits(String line, int from) {
        int at = from;
        while (at < line.length() && line.charAt(at) >= '0' && line.charAt(at) <= '9') {
            at++;
        }
        return at;
    }

    /** Returns the index after the blanks that begin here. */
    static int afterBlanks(String line, int from) {
        int at = from;
        while (at < line.length() && line.charAt(at) == ' ') {
            at++;
        }
        return at;
    }

    /** Returns the hexadecimal number that begins after these words; 0 if there is none. */
    static long hexAfter(String line, String words) {
        int from = line.indexOf(words);
        if (from < 0) {
            return 0;
        }
        from += words.length();
        int to = from;
        while (to < line.length() && Character.digit(line.charAt(to), 16) >= 0) {
            to++;
        }
        return from == to || to - from > MAX_HEX_DIGITS ? 0 : Long.parseUnsignedLong(line, from, to, 16);
    }

    /** Returns the nanoseconds of {@code 3.184ms}, or -1. */
    static long millis(String text) {
        int point = text.indexOf('.');
        int unit = text.length() - "ms".length();
        if (!text.endsWith("ms") || point < 0 || unit - point > 7) {
            return -1;
        }
        long whole = decimal(text, 0, point);
        long fraction = decimal(text, point + 1, unit);
        if (whole < 0 || fraction < 0 || whole > Integer.MAX_VALUE) {
            return -1;
        }
        long scale = NANOS_PER_MILLI;
        for (int i = point + 1; i < unit; i++) {
            scale /= DECIMAL;
        }
        return whole * NANOS_PER_MILLI + fraction * scale;
    }

    /** Returns the bytes of {@code 12M}, or -1. */
    static long bytes(String line, int from, int to) {
        if (from >= to) {
            return -1;
        }
        int shift = switch (line.charAt(to - 1)) {
            case 'B' -> 0;
            case 'K' -> 10;
            case 'M' -> 20;
            case 'G' -> 30;
            default -> -1;
        };
        long number = decimal(line, from, to - 1);
        return shift < 0 || number < 0 || number > Long.MAX_VALUE >> 31 ? -1 : number << shift;
    }
}
