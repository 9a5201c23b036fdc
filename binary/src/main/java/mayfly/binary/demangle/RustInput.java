package mayfly.binary.demangle;

/** The text of a Rust name being read: numbers, identifiers, and jumps back to what was there before. */
abstract class RustInput extends MangledText {
    /**
     * Reads a name.
     *
     * @param text it, without what comes before its first path: positions in it count from there
     */
    RustInput(String text) {
        super(text);
    }

    /** {@code base-62-number}, unsigned: an underscore is 0, digits with an underscore are one more than they say. */
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

    /** {@code base-62-number}, of something that is counted. */
    final long number62() {
        long n = unsigned62();
        if (n < 0) {
            throw Malformed.NAME;
        }
        return n;
    }

    /** A number after a tag, unsigned; nothing is 0, and what is there one more than it says. */
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

    /** {@code undisambiguated-identifier}, decoded. */
    final String identifier() {
        boolean encoded = accept('u');
        int length = accept('0') ? 0 : number();
        accept('_');
        String bytes = take(length);
        return encoded ? Punycode.decode(bytes) : bytes;
    }

    /** Hexadecimal digits up to an underscore. */
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

    /** Reads what a back reference means, in place of the reference. */
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
