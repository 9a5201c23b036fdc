package mayfly.binary.demangle;

/** The text of a Rust name being read: numbers, identifiers, and back references. */
abstract class RustInput extends MangledText {
    /**
     * Creates a reader of a name.
     *
     * @param text the name, starting at its first path; positions in back references are relative to this start
     */
    RustInput(String text) {
        super(text);
    }

    /** Reads {@code base-62-number}, unsigned: an underscore is 0, digits with an underscore are their value plus 1. */
    private long unsigned62() {
        if (accept('_')) {
            return 0;
        }
        long n = 0;
        while (!accept('_')) {
            int digit = digit62(next());
            if (Long.compareUnsigned(n, Long.divideUnsigned(-1L - digit, 62)) > 0) {
                throw Malformed.NAME;
            }
            n = n * 62 + digit;
        }
        return oneMore(n);
    }

    private static long oneMore(long n) {
        if (n == -1L) {
            throw Malformed.NAME;
        }
        return n + 1;
    }

    /** Reads {@code base-62-number}, used as a count. */
    final long number62() {
        long n = unsigned62();
        if (n < 0) {
            throw Malformed.NAME;
        }
        return n;
    }

    /** Reads an optional number after a tag, unsigned: 0 if it is absent, otherwise its value plus 1. */
    final long optional62(char tag) {
        return accept(tag) ? oneMore(unsigned62()) : 0;
    }

    private static int digit62(char c) {
        if (c >= '0' && c <= '9') {
            return c - '0';
        }
        if (c >= 'a' && c <= 'z') {
            return 10 + c - 'a';
        }
        if (c >= 'A' && c <= 'Z') {
            return 36 + c - 'A';
        }
        throw Malformed.NAME;
    }

    /** Reads {@code undisambiguated-identifier}, decoded. */
    final String identifier() {
        boolean encoded = accept('u');
        int length = accept('0') ? 0 : number();
        accept('_');
        String bytes = take(length);
        return encoded ? Punycode.decode(bytes) : bytes;
    }

    /** Reads hexadecimal digits up to an underscore. */
    final String hex() {
        StringBuilder digits = new StringBuilder();
        while (!accept('_')) {
            char c = next();
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                throw Malformed.NAME;
            }
            digits.append(c);
        }
        return digits.toString();
    }

    /** Reads a back reference, then the production at its target. */
    final void backReference(Runnable production) {
        int tag = at - 1;
        long to = number62();
        if (to >= tag) {
            throw Malformed.NAME;
        }
        int after = at;
        at = (int) to;
        enter();
        production.run();
        leave();
        at = after;
    }
}
