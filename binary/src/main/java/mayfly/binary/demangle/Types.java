package mayfly.binary.demangle;

import java.util.ArrayList;
import java.util.List;

/** Reads types. */
abstract class Types extends Substitutions {
    Types(String text) {
        super(text);
    }

    abstract Node name(NameState state);

    abstract Node expression();

    abstract List<Node> templateArgs(boolean known);

    /** Properties of a function, collected while its name is read. */
    static final class NameState {
        /**
         * True for the name of a function, false for that of a type. After a function's name, T_ refers to its template
         * arguments.
         */
        final boolean ofFunction;

        boolean isConversionOrStructor;
        boolean endsWithTemplateArgs;
        String qualifiers = "";

        NameState(boolean ofFunction) {
            this.ofFunction = ofFunction;
        }
    }

    final Node type() {
        enter();
        Node node = typeInside();
        leave();
        return node;
    }

    private Node typeInside() {
        char c = peek();
        String builtin = Builtin.of(c);
        if (builtin != null) {
            at++;
            return new Node.Text(builtin);
        }
        switch (c) {
            case 'r', 'V', 'K' -> {
                return qualifiedType();
            }
            case 'u' -> {
                at++;
                return remember(new Node.Text(characters(number())));
            }
            case 'U' -> {
                at++;
                String qualifier = characters(number());
                List<Node> arguments = peek() == 'I' ? templateArgs(false) : List.of();
                Node type = type();
                Node called = arguments.isEmpty()
                        ? new Node.Text(qualifier)
                        : new Node.Template(new Node.Text(qualifier), arguments);
                Out out = new Out().add(" ").add(called);
                return remember(new TypeNode.Qualified(type, out.toString()));
            }
            case 'D' -> {
                return dType();
            }
            case 'F' -> {
                return remember(functionType(""));
            }
            case 'A' -> {
                return remember(arrayType());
            }
            case 'M' -> {
                at++;
                Node owner = type();
                Node member = type();
                return remember(new TypeNode.MemberPointer(owner, member));
            }
            case 'T' -> {
                return tType();
            }
            case 'P' -> {
                at++;
                return remember(new TypeNode.Pointer(type(), "*"));
            }
            case 'R' -> {
                at++;
                return remember(new TypeNode.Pointer(type(), "&"));
            }
            case 'O' -> {
                at++;
                return remember(new TypeNode.Pointer(type(), "&&"));
            }
            case 'C', 'G' -> {
                at++;
                return remember(new TypeNode.Qualified(type(), c == 'C' ? " _Complex" : " _Imaginary"));
            }
            case 'S' -> {
                if (peek(1) != 't') {
                    Node node = substitution();
                    if (peek() == 'I') {
                        return remember(new Node.Template(node, templateArgs(false)));
                    }
                    return node;
                }
                return classType();
            }
            default -> {
                return classType();
            }
        }
    }

    private Node classType() {
        return remember(name(new NameState(false)));
    }

    private Node tType() {
        // Elaborated types: struct, union, enum.
        if (peek(1) == 's' || peek(1) == 'u' || peek(1) == 'e') {
            at += 2;
            return classType();
        }
        Node parameter = remember(templateParameter());
        if (peek() == 'I') {
            boolean wasPermitted = permitForward;
            int before = at;
            int marked = substitutions.size();
            List<Node> arguments = templateArgs(false);
            if (wasPermitted && peek() != 'I') {
                // In a conversion operator these are the template arguments of the operator itself.
                at = before;
                while (substitutions.size() > marked) {
                    substitutions.removeLast();
                }
                return parameter;
            }
            return remember(new Node.Template(parameter, arguments));
        }
        return parameter;
    }

    /** Reads cv-qualifiers. Returns them in the order in which libiberty prints them. */
    final String cvQualifiers() {
        String text = "";
        if (accept('r')) {
            text = " restrict" + text;
        }
        if (accept('V')) {
            text = " volatile" + text;
        }
        if (accept('K')) {
            text = " const" + text;
        }
        return text;
    }

    private Node qualifiedType() {
        String qualifiers = cvQualifiers();
        if (peek() == 'F' || peek() == 'D' && (peek(1) == 'o' || peek(1) == 'O' || peek(1) == 'w' || peek(1) == 'x')) {
            return remember(functionType(qualifiers));
        }
        return remember(new TypeNode.Qualified(type(), qualifiers));
    }

    private Node functionType(String qualifiers) {
        String thrown = "";
        if (accept("Do")) {
            thrown = " noexcept";
        } else if (accept("DO")) {
            Node condition = expression();
            expect('E');
            thrown = new Out().add(" noexcept(").add(condition).add(")").toString();
        } else if (accept("Dw")) {
            List<Node> types = new ArrayList<>();
            while (!accept('E')) {
                types.add(type());
            }
            thrown = new Out().add(" throw(").addAll(types).add(")").toString();
        }
        accept("Dx");
        expect('F');
        accept('Y');
        Node result = type();
        List<Node> parameters = new ArrayList<>();
        String reference = "";
        while (!accept('E')) {
            if (peek() == 'R' && peek(1) == 'E') {
                at++;
                reference = " &";
            } else if (peek() == 'O' && peek(1) == 'E') {
                at++;
                reference = " &&";
            } else {
                parameters.add(type());
            }
        }
        return new TypeNode.Function(result, withoutVoid(parameters), thrown + qualifiers + reference);
    }

    static List<Node> withoutVoid(List<Node> parameters) {
        return parameters.size() == 1
                        && parameters.getFirst() instanceof Node.Text t
                        && t.text().equals("void")
                ? List.of()
                : parameters;
    }

    private Node arrayType() {
        at++;
        Node bound = null;
        if (peek() >= '0' && peek() <= '9') {
            bound = new Node.Text(signedNumber());
        } else if (peek() != '_') {
            bound = expression();
        }
        expect('_');
        return new TypeNode.Array(type(), bound);
    }

    private Node dType() {
        switch (peek(1)) {
            case 'p' -> {
                at += 2;
                return remember(new Node.Expansion(type()));
            }
            case 't', 'T' -> {
                return remember(decltype());
            }
            case 'v' -> {
                at += 2;
                Node bound = vectorBound();
                expect('_');
                String suffix = new Out().add(" __vector(").add(bound).add(")").toString();
                return remember(new Node.Affixed("", type(), suffix));
            }
            case 'F' -> {
                at += 2;
                String bits = signedNumber();
                String suffix = accept('x') ? "x" : "";
                if (suffix.isEmpty()) {
                    accept('_');
                }
                return new Node.Text("_Float" + bits + suffix);
            }
            case 'o', 'O', 'w', 'x' -> {
                return remember(functionType(""));
            }
            default -> {}
        }
        String builtin = Builtin.afterD(peek(1));
        if (builtin == null) {
            return classType();
        }
        at += 2;
        return new Node.Text(builtin);
    }

    private Node vectorBound() {
        if (peek() >= '0' && peek() <= '9') {
            return new Node.Text(signedNumber());
        }
        return peek() == '_' ? new Node.Text("") : expression();
    }

    final Node decltype() {
        at += 2;
        Node expression = expression();
        expect('E');
        return new Node.Affixed("decltype (", expression, ")");
    }
}
