package mayfly.binary.demangle;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A name of Rust's legacy mangling: a nested name of the Itanium C++ ABI whose last part is a hash. Characters that an
 * identifier cannot contain are encoded between dollar signs. See legacy.rs in rustc_symbol_mangling.
 */
public final class LegacyRustName extends MangledText {
    private static final int HASH_DIGITS = 16;

    private LegacyRustName(String text) {
        super(text);
    }

    /** Returns the name without its hash and without LLVM's suffixes, or null if it is not a legacy Rust name. */
    public static @Nullable String print(String mangled) {
        LegacyRustName name = new LegacyRustName(mangled);
        try {
            return name.accept("_ZN") ? name.nested() : null;
        } catch (Malformed e) {
            return null;
        }
    }

    private String nested() {
        StringBuilder name = new StringBuilder();
        String last = "";
        for (int parts = 0; !accept('E'); parts++) {
            if (parts > 0) {
                name.append(parts > 1 ? "::" : "").append(decoded(last));
            }
            last = take(number());
        }
        boolean more = !atEnd() && peek() != '.';
        if (more || name.isEmpty() || !isHash(last)) {
            throw Malformed.NAME;
        }
        return name.toString();
    }

    private static boolean isHash(String part) {
        return part.length() == HASH_DIGITS + 1
                && part.charAt(0) == 'h'
                && part.chars().skip(1).allMatch(c -> c >= '0' && c <= '9' || c >= 'a' && c <= 'f');
    }

    private static String decoded(String part) {
        StringBuilder text = new StringBuilder();
        // An identifier cannot begin with an escape, so an underscore precedes it.
        int i = part.startsWith("_$") ? 1 : 0;
        while (i < part.length()) {
            int end = part.charAt(i) == '$' ? part.indexOf('$', i + 1) : -1;
            if (end > 0) {
                text.append(escaped(part.substring(i + 1, end)));
                i = end + 1;
            } else if (part.startsWith("..", i)) {
                text.append("::");
                i += 2;
            } else {
                text.append(part.charAt(i++));
            }
        }
        return text.toString();
    }

    private static String escaped(String code) {
        return switch (code) {
            case "SP" -> "@";
            case "BP" -> "*";
            case "RF" -> "&";
            case "LT" -> "<";
            case "GT" -> ">";
            case "LP" -> "(";
            case "RP" -> ")";
            case "C" -> ",";
            default -> character(code);
        };
    }

    private static String character(String code) {
        boolean hex = code.startsWith("u")
                && code.length() > 1
                && code.length() <= 7
                && code.chars().skip(1).allMatch(HexFormat::isHexDigit);
        int c = hex ? HexFormat.fromHexDigits(code, 1, code.length()) : -1;
        if (!Character.isValidCodePoint(c) || Character.isISOControl(c)) {
            throw Malformed.NAME;
        }
        return Character.toString(c);
    }
}
