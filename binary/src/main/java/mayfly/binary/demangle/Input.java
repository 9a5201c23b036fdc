package mayfly.binary.demangle;

import java.util.ArrayList;
import java.util.List;

/** A C++ name being read, and what it may refer back to. */
abstract class Input extends MangledText {
    private static final int MAX_SUBSTITUTIONS = 4096;

    final List<Node> substitutions = new ArrayList<>();
    List<Node> templateArguments = new ArrayList<>();
    final List<Node.Forward> forwards = new ArrayList<>();
    boolean permitForward;
    /** In the parameters of a generic lambda T_ is one of its own. */
    boolean inLambda;

    Input(String text) {
        super(text);
    }

    Node remember(Node node) {
        if (substitutions.size() >= MAX_SUBSTITUTIONS) {
            throw Malformed.NAME;
        }
        substitutions.add(node);
        return node;
    }

    /** {@code [n] digits}, as text. */
    String signedNumber() {
        StringBuilder number = new StringBuilder(accept('n') ? "-" : "");
        if (!atDigit()) {
            throw Malformed.NAME;
        }
        while (atDigit()) {
            number.append(next());
        }
        return number.toString();
    }

    String characters(int length) {
        if (length == 0) {
            throw Malformed.NAME;
        }
        return take(length);
    }

    /** The position in a list: nothing is 0, a number n is n + 1; ends with an underscore. */
    int sequence() {
        int n = peek() == '_' ? 0 : number() + 1;
        expect('_');
        return n;
    }
}
