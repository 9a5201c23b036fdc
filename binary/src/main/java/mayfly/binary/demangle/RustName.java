package mayfly.binary.demangle;

import java.math.BigInteger;

/**
 * A name of Rust's v0 mangling, RFC 2603. The name is printed while it is read. A back reference is printed by reading
 * its target again.
 *
 * <p>Methods are named after the productions of the RFC's grammar.
 */
public final class RustName extends RustTypes {
    private final boolean whole;

    private RustName(String text, boolean whole) {
        super(text);
        this.whole = whole;
    }

    /**
     * Reads a mangled name and prints it.
     *
     * @param mangled the name, with its prefix {@code _R}
     * @param whole true to print the disambiguators of crates and the types of constants
     * @throws Malformed if it cannot be read
     */
    public static String print(String mangled, boolean whole) {
        int end = suffix(mangled);
        if (!mangled.startsWith("_R") || end < 3 || mangled.charAt(2) < 'A' || mangled.charAt(2) > 'Z') {
            // A digit is the version of a future encoding.
            throw Malformed.NAME;
        }
        RustName name = new RustName(mangled.substring(2, end), whole);
        name.path(true);
        if (!name.atEnd()) {
            name.silently(() -> name.path(false));
        }
        if (!name.atEnd()) {
            throw Malformed.NAME;
        }
        return name.text();
    }

    /** Returns the start of a vendor's suffix, such as {@code .llvm.1234}. */
    private static int suffix(String mangled) {
        for (int i = 0; i < mangled.length(); i++) {
            if (mangled.charAt(i) == '.' || mangled.charAt(i) == '$') {
                return i;
            }
        }
        return mangled.length();
    }

    @Override
    void path(boolean inValue) {
        enter();
        switch (next()) {
            case 'C' -> crateRoot();
            case 'N' -> nested(inValue);
            case 'M' -> {
                silently(this::implPath);
                print("<");
                type();
                print(">");
            }
            case 'X' -> {
                silently(this::implPath);
                asTrait();
            }
            case 'Y' -> asTrait();
            case 'I' -> {
                path(inValue);
                print(inValue ? "::<" : "<");
                genericArgs();
                print(">");
            }
            case 'B' -> reference(() -> path(inValue));
            default -> throw Malformed.NAME;
        }
        leave();
    }

    private void crateRoot() {
        long disambiguator = optional62('s');
        print(identifier());
        if (whole) {
            print("[" + Long.toHexString(disambiguator) + "]");
        }
    }

    private void implPath() {
        optional62('s');
        path(false);
    }

    private void asTrait() {
        print("<");
        type();
        print(" as ");
        path(false);
        print(">");
    }

    private void nested(boolean inValue) {
        char namespace = next();
        path(inValue);
        long disambiguator = optional62('s');
        String name = identifier();
        if (namespace >= 'A' && namespace <= 'Z') {
            String kind = switch (namespace) {
                case 'C' -> "closure";
                case 'S' -> "shim";
                default -> String.valueOf(namespace);
            };
            print("::{" + kind + (name.isEmpty() ? "" : ":" + name) + "#" + Long.toUnsignedString(disambiguator) + "}");
        } else if (namespace < 'a' || namespace > 'z') {
            throw Malformed.NAME;
        } else if (!name.isEmpty()) {
            print("::" + name);
        }
    }

    @Override
    void genericArgs() {
        for (boolean first = true; !accept('E'); first = false) {
            print(first ? "" : ", ");
            if (accept('L')) {
                lifetime(number62());
            } else if (accept('K')) {
                constant();
            } else {
                type();
            }
        }
    }

    @Override
    void constant() {
        enter();
        char tag = next();
        switch (tag) {
            case 'p' -> print("_");
            case 'B' -> reference(this::constant);
            case 'h', 't', 'm', 'y', 'o', 'j' -> number("", tag);
            case 'a', 's', 'l', 'x', 'n', 'i' -> number(accept('n') ? "-" : "", tag);
            case 'b' ->
                literal(
                        switch (hex()) {
                            case "0" -> "false";
                            case "1" -> "true";
                            default -> throw Malformed.NAME;
                        },
                        tag);
            case 'c' -> character();
            default -> throw Malformed.NAME;
        }
        leave();
    }

    private void number(String sign, char type) {
        String digits = hex();
        if (digits.length() > Long.BYTES * 2) {
            literal(sign + "0x" + digits, type);
        } else {
            literal(sign + (digits.isEmpty() ? "0" : new BigInteger(digits, 16).toString()), type);
        }
    }

    private void literal(String value, char type) {
        print(whole ? value + ": " + basicType(type) : value);
    }

    private void character() {
        String digits = hex();
        int c = digits.isEmpty() || digits.length() > 6 ? -1 : Integer.parseInt(digits, 16);
        if (!Character.isValidCodePoint(c) || c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
            throw Malformed.NAME;
        }
        boolean printable = c >= ' ' && c < 0x7f;
        literal(
                "'"
                        + switch (c) {
                            case '\t' -> "\\t";
                            case '\n' -> "\\n";
                            case '\r' -> "\\r";
                            case '\'', '\\' -> "\\" + (char) c;
                            default -> printable ? Character.toString(c) : "\\u{" + Integer.toHexString(c) + "}";
                        }
                        + "'",
                'c');
    }
}
