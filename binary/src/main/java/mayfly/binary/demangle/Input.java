package mayfly.binary.demangle;

import java.util.ArrayList;
import java.util.List;

/** The C++ name that is being read, with the parts to which the rest of the name can refer. */
abstract class Input extends MangledText {
    private static final int MAX_SUBSTITUTIONS = 4096;

    final List<Node> substitutions = new ArrayList<>();
    List<Node> templateArguments = new ArrayList<>();
    final List<Node.Forward> forwards = new ArrayList<>();
    boolean permitForward;
    /** True in the parameters of a generic lambda, where T_ is a template parameter of the lambda. */
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

    /** Reads {@code [n] digits}, as text. */
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

    /**
     * Reads a position in a list, which ends with an underscore. Returns 0 for an absent number, otherwise the number
     * plus 1.
     */
    int sequence() {
        int n = peek() == '_' ? 0 : number() + 1;
        expect('_');
        return n;
    }
}
