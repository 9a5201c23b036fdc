package mayfly.binary.demangle;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One mangled name, from its prefix to its suffixes. */
public final class MangledName extends Names {

    private MangledName(String text) {
        super(text);
    }

    /**
     * Reads a mangled name and prints it.
     *
     * @param mangled the name, with its prefix {@code _Z}
     * @param whole true to print a function's parameters, result and compiler suffixes
     * @throws Malformed if it cannot be read
     */
    public static String print(String mangled, boolean whole) {
        MangledName name = new MangledName(mangled);
        if (!name.accept("_Z")) {
            throw Malformed.NAME;
        }
        Node node = name.encoding();
        String clones = name.clones();
        if (!whole && node instanceof TypeNode.Encoding e) {
            node = e.name();
        }
        return new Out().add(node).add(whole ? clones : "").toString();
    }

    /** Reads the suffixes of a function that a compiler has split or specialised, such as {@code .isra.0}. */
    private String clones() {
        StringBuilder all = new StringBuilder();
        while (peek() == '.' && (Character.isLetterOrDigit(peek(1)) || peek(1) == '_')) {
            int from = at++;
            boolean digits = peek() >= '0' && peek() <= '9';
            StringBuilder word = new StringBuilder(".");
            while (peek() != 0 && peek() != '.') {
                word.append(next());
            }
            while (!digits && peek() == '.' && peek(1) >= '0' && peek(1) <= '9') {
                word.append(next());
                while (peek() >= '0' && peek() <= '9') {
                    word.append(next());
                }
            }
            if (at == from) {
                throw Malformed.NAME;
            }
            all.append(" [clone ").append(word).append(']');
        }
        if (!atEnd()) {
            throw Malformed.NAME;
        }
        return all.toString();
    }

    @Override
    Node encoding() {
        enter();
        Node node = switch (peek()) {
            case 'T' -> special();
            case 'G' -> guard();
            default -> function();
        };
        leave();
        return node;
    }

    private Node function() {
        List<Node> outer = templateArguments;
        boolean outerForward = permitForward;
        permitForward = false;
        int firstForward = forwards.size();
        NameState state = new NameState(true);
        Node name = name(state);
        resolve(firstForward);
        permitForward = outerForward;
        if (atEnd() || peek() == 'E' || peek() == '.') {
            templateArguments = keep(outer);
            return state.qualifiers.isEmpty() ? name : new Node.Affixed("", name, "");
        }
        Node result = state.endsWithTemplateArgs && !state.isConversionOrStructor ? type() : null;
        List<Node> parameters = new ArrayList<>();
        while (!atEnd() && peek() != 'E' && peek() != '.' && peek() != 'Q') {
            parameters.add(type());
        }
        if (parameters.isEmpty()) {
            throw Malformed.NAME;
        }
        templateArguments = keep(outer);
        return new TypeNode.Encoding(result, name, withoutVoid(parameters), state.qualifiers);
    }

    /**
     * Returns the template arguments that are in effect after this name: those of an enclosing template, or if there is
     * none, those of this name.
     */
    private List<Node> keep(List<Node> outer) {
        return outer.isEmpty() ? templateArguments : outer;
    }

    private void resolve(int first) {
        for (Node.Forward forward : forwards.subList(first, forwards.size())) {
            if (forward.index >= templateArguments.size()) {
                throw Malformed.NAME;
            }
            forward.target = templateArguments.get(forward.index);
        }
        forwards.subList(first, forwards.size()).clear();
    }

    private Node special() {
        expect('T');
        char c = next();
        @Nullable
        String before = switch (c) {
            case 'V' -> "vtable for ";
            case 'T' -> "VTT for ";
            case 'I' -> "typeinfo for ";
            case 'S' -> "typeinfo name for ";
            case 'F' -> "typeinfo fn for ";
            default -> null;
        };
        if (before != null) {
            return new Node.Affixed(before, type(), "");
        }
        switch (c) {
            case 'h', 'v' -> {
                offset(c);
                return new Node.Affixed(c == 'h' ? "non-virtual thunk to " : "virtual thunk to ", encoding(), "");
            }
            case 'c' -> {
                offset(next());
                offset(next());
                return new Node.Affixed("covariant return thunk to ", encoding(), "");
            }
            case 'C' -> {
                Node derived = type();
                number();
                expect('_');
                Node base = type();
                return new Node.Joined(List.of(new Node.Affixed("construction vtable for ", base, "-in-"), derived));
            }
            case 'W' -> {
                return new Node.Affixed("TLS wrapper function for ", name(new NameState(true)), "");
            }
            case 'H' -> {
                return new Node.Affixed("TLS init function for ", name(new NameState(true)), "");
            }
            case 'A' -> {
                return new Node.Affixed("template parameter object for ", type(), "");
            }
            default -> throw Malformed.NAME;
        }
    }

    private void offset(char kind) {
        if (kind != 'h' && kind != 'v') {
            throw Malformed.NAME;
        }
        signedNumber();
        expect('_');
        if (kind == 'v') {
            signedNumber();
            expect('_');
        }
    }

    private Node guard() {
        expect('G');
        char c = next();
        return switch (c) {
            case 'V' -> new Node.Affixed("guard variable for ", name(new NameState(true)), "");
            case 'R' -> {
                Node name = name(new NameState(true));
                int n = atEnd() ? 0 : sequence();
                yield new Node.Affixed("reference temporary #" + n + " for ", name, "");
            }
            case 'A' -> new Node.Affixed("hidden alias for ", encoding(), "");
            case 'T' -> {
                char kind = next();
                String not = kind == 'n' ? "non-" : "";
                yield new Node.Affixed(not + "transaction clone for ", encoding(), "");
            }
            default -> throw Malformed.NAME;
        };
    }
}
