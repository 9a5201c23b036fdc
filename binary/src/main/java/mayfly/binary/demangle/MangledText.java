package mayfly.binary.demangle;

/** Mangled text, read character by character with a bounded nesting depth. */
abstract class MangledText {
    private static final int MAX_DEPTH = 256;
    private static final int MAX_NUMBER = 1 << 20;

    private final String text;
    private int depth;
    int at;

    MangledText(String text) {
        this.text = text;
    }

    /** Returns the next character, or 0 at the end. */
    final char peek() {
        return peek(0);
    }

    final char peek(int ahead) {
        return at + ahead < text.length() ? text.charAt(at + ahead) : 0;
    }

    final boolean atEnd() {
        return at >= text.length();
    }

    final char next() {
        if (atEnd()) {
            throw Malformed.NAME;
        }
        return text.charAt(at++);
    }

    final boolean accept(char c) {
        if (atEnd() || peek() != c) {
            return false;
        }
        at++;
        return true;
    }

    final boolean accept(String s) {
        if (!text.startsWith(s, at)) {
            return false;
        }
        at += s.length();
        return true;
    }

    final void expect(char c) {
        if (!accept(c)) {
            throw Malformed.NAME;
        }
    }

    /** Returns true if a decimal digit is next. */
    final boolean atDigit() {
        return peek() >= '0' && peek() <= '9';
    }

    /** Reads decimal digits, at least one. */
    final int number() {
        if (!atDigit()) {
            throw Malformed.NAME;
        }
        int n = 0;
        while (atDigit()) {
            n = n * 10 + (next() - '0');
            if (n > MAX_NUMBER) {
                throw Malformed.NAME;
            }
        }
        return n;
    }

    /** Reads {@code length} characters, which may be 0. */
    final String take(int length) {
        if (length < 0 || length > text.length() - at) {
            throw Malformed.NAME;
        }
        at += length;
        return text.substring(at - length, at);
    }

    /** Enters a production that may contain itself. */
    void enter() {
        if (++depth > MAX_DEPTH) {
            throw Malformed.NAME;
        }
    }

    final void leave() {
        depth--;
    }
}
