package mayfly.binary.demangle;

import java.util.ArrayList;
import java.util.List;

/** The mangled text being read, and what it may refer back to. */
abstract class Input {
    private static final int MAX_DEPTH = 256;
    private static final int MAX_SUBSTITUTIONS = 4096;

    private final String text;
    private int depth;
    int at;
    final List<Node> substitutions = new ArrayList<>();
    List<Node> templateArguments = new ArrayList<>();
    final List<Node.Forward> forwards = new ArrayList<>();
    boolean permitForward;
    /** In the parameters of a generic lambda T_ is one of its own. */
    boolean inLambda;

    Input(String text) {
        this.text = text;
    }

    char peek() {
        return peek(0);
    }

    char peek(int ahead) {
        return at + ahead < text.length() ? text.charAt(at + ahead) : 0;
    }

    boolean atEnd() {
        return at >= text.length();
    }

    String rest() {
        return text.substring(at);
    }

    char next() {
        if (atEnd()) {
            throw Malformed.NAME;
        }
        return text.charAt(at++);
    }

    boolean accept(char c) {
        if (peek() == c && c != 0) {
            at++;
            return true;
        }
        return false;
    }

    boolean accept(String s) {
        if (text.startsWith(s, at)) {
            at += s.length();
            return true;
        }
        return false;
    }

    void expect(char c) {
        if (!accept(c)) {
            throw Malformed.NAME;
        }
    }

    void enter() {
        if (++depth > MAX_DEPTH) {
            throw Malformed.NAME;
        }
    }

    void leave() {
        depth--;
    }

    Node remember(Node node) {
        if (substitutions.size() >= MAX_SUBSTITUTIONS) {
            throw Malformed.NAME;
        }
        substitutions.add(node);
        return node;
    }

    /** Decimal digits, at least one. */
    int number() {
        int from = at;
        long n = 0;
        while (peek() >= '0' && peek() <= '9') {
            n = n * 10 + (next() - '0');
            if (n > 1 << 20) {
                throw Malformed.NAME;
            }
        }
        if (at == from) {
            throw Malformed.NAME;
        }
        return (int) n;
    }

    /** {@code [n] digits}, as text. */
    String signedNumber() {
        String sign = accept('n') ? "-" : "";
        int from = at;
        while (peek() >= '0' && peek() <= '9') {
            at++;
        }
        if (from == at) {
            throw Malformed.NAME;
        }
        return sign + text.substring(from, at);
    }

    String characters(int length) {
        if (length <= 0 || length > text.length() - at) {
            throw Malformed.NAME;
        }
        at += length;
        return text.substring(at - length, at);
    }

    /** The position in a list: nothing is 0, a number n is n + 1; ends with an underscore. */
    int sequence() {
        int n = peek() == '_' ? 0 : number() + 1;
        expect('_');
        return n;
    }
}
