package mayfly.binary.demangle;

import java.util.ArrayList;
import java.util.List;

/** Identifiers with characters beyond ASCII: RFC 3492, with an underscore for the hyphen as in Rust RFC 2603. */
final class Punycode {
    private static final int BASE = 36;
    private static final int T_MIN = 1;
    private static final int T_MAX = 26;
    private static final int SKEW = 38;
    private static final int DAMP = 700;
    private static final int FIRST_BIAS = 72;
    private static final int FIRST_CODE_POINT = 0x80;
    private static final int MAX_LENGTH = 1024;

    private Punycode() {}

    /** Returns the decoded text. */
    static String decode(String encoded) {
        if (encoded.length() > MAX_LENGTH) {
            throw Malformed.NAME;
        }
        int delimiter = encoded.lastIndexOf('_');
        List<Integer> text = new ArrayList<>();
        encoded.substring(0, Math.max(delimiter, 0)).chars().forEach(text::add);
        int codePoint = FIRST_CODE_POINT;
        int bias = FIRST_BIAS;
        long i = 0;
        for (int at = delimiter + 1; at < encoded.length(); ) {
            long before = i;
            long weight = 1;
            for (int k = BASE; ; k += BASE) {
                if (at == encoded.length()) {
                    throw Malformed.NAME;
                }
                int digit = digit(encoded.charAt(at++));
                i += digit * weight;
                int threshold = Math.clamp(k - bias, T_MIN, T_MAX);
                if (digit < threshold) {
                    break;
                }
                weight *= BASE - threshold;
                if (i > Integer.MAX_VALUE || weight > Integer.MAX_VALUE) {
                    throw Malformed.NAME;
                }
            }
            int length = text.size() + 1;
            bias = adapted(i - before, length, before == 0);
            codePoint += (int) Math.min(i / length, Character.MAX_CODE_POINT + 1);
            if (codePoint > Character.MAX_CODE_POINT) {
                throw Malformed.NAME;
            }
            i %= length;
            text.add((int) i, codePoint);
            i++;
        }
        StringBuilder decoded = new StringBuilder();
        text.forEach(decoded::appendCodePoint);
        return decoded.toString();
    }

    private static int digit(char c) {
        if (c >= 'a' && c <= 'z') {
            return c - 'a';
        }
        if (c >= '0' && c <= '9') {
            return 26 + c - '0';
        }
        throw Malformed.NAME;
    }

    private static int adapted(long change, int length, boolean first) {
        long delta = first ? change / DAMP : change / 2;
        delta += delta / length;
        int k = 0;
        while (delta > (BASE - T_MIN) * T_MAX / 2) {
            delta /= BASE - T_MIN;
            k += BASE;
        }
        return (int) (k + (BASE - T_MIN + 1) * delta / (delta + SKEW));
    }
}
