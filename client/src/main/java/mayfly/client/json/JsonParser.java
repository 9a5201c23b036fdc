package mayfly.client.json;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses one JSON value, see RFC 8259. The parser is strict: a repeated name in an object is an error. The nesting is
 * limited, so that hostile text cannot exhaust the stack; its caller limits the length.
 *
 * <p>An object becomes a {@link Map}, an array a {@link List}, a string a {@link String}, a number a {@link Long} if it
 * is an integer that fits one and a {@link Double} otherwise, and null {@link #NULL}.
 */
final class JsonParser {
    /** The value null. */
    static final Object NULL = new Object() {
        @Override
        public String toString() {
            return "null";
        }
    };

    static final int MAX_DEPTH = 64;
    private static final Pattern NUMBER = Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?");

    private final String text;
    private int at;

    private JsonParser(String text) {
        this.text = text;
    }

    static Object parse(String text) throws BadJson {
        var parser = new JsonParser(text);
        Object value = parser.value(0);
        if (parser.next() >= 0) {
            throw parser.bad("text after the value");
        }
        return value;
    }

    private Object value(int depth) throws BadJson {
        if (depth > MAX_DEPTH) {
            throw bad("more than " + MAX_DEPTH + " levels");
        }
        return switch (next()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", NULL);
            default -> number();
        };
    }

    private Map<String, Object> object(int depth) throws BadJson {
        var fields = new LinkedHashMap<String, Object>();
        at++;
        if (accepts('}')) {
            return fields;
        }
        do {
            if (next() != '"') {
                throw bad("no name");
            }
            String name = string();
            expect(':');
            if (fields.put(name, value(depth + 1)) != null) {
                throw bad("a repeated name");
            }
        } while (accepts(','));
        expect('}');
        return fields;
    }

    private List<Object> array(int depth) throws BadJson {
        at++;
        if (accepts(']')) {
            return List.of();
        }
        var elements = new ArrayList<Object>();
        do {
            elements.add(value(depth + 1));
        } while (accepts(','));
        expect(']');
        return elements;
    }

    private String string() throws BadJson {
        var value = new StringBuilder();
        at++;
        while (true) {
            int c = here();
            if (c < ' ') {
                throw bad(c < 0 ? "no end of a string" : "a control character");
            }
            at++;
            if (c == '"') {
                return value.toString();
            }
            value.append(c == '\\' ? escaped() : (char) c);
        }
    }

    private char escaped() throws BadJson {
        int c = here();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> (char) c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw bad("an unknown escape");
        };
    }

    private char unicode() throws BadJson {
        at += 4;
        if (at > text.length() || !text.substring(at - 4, at).chars().allMatch(HexFormat::isHexDigit)) {
            throw bad("no four hexadecimal digits");
        }
        return (char) HexFormat.fromHexDigits(text, at - 4, at);
    }

    private Object number() throws BadJson {
        Matcher number = NUMBER.matcher(text).region(at, text.length());
        if (!number.lookingAt()) {
            throw bad("no value");
        }
        at = number.end();
        try {
            return Long.valueOf(number.group());
        } catch (NumberFormatException e) {
            return Double.valueOf(number.group()); // it has a fraction or an exponent, or exceeds a long
        }
    }

    private Object word(String word, Object value) throws BadJson {
        if (!text.startsWith(word, at)) {
            throw bad("no value");
        }
        at += word.length();
        return value;
    }

    private boolean accepts(char wanted) {
        if (next() != wanted) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(char wanted) throws BadJson {
        if (!accepts(wanted)) {
            throw bad("no '" + wanted + "'");
        }
    }

    /** Skips blanks. Returns the character after them; -1 at the end. */
    private int next() {
        while (here() == ' ' || here() == '\n' || here() == '\r' || here() == '\t') {
            at++;
        }
        return here();
    }

    private int here() {
        return at < text.length() ? text.charAt(at) : -1;
    }

    private BadJson bad(String problem) {
        return new BadJson(problem + " at character " + at + " of " + text.length());
    }
}
