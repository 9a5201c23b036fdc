package mayfly.binary.demangle;

import java.util.ArrayList;
import java.util.List;

/** Reads names. */
abstract class Names extends Expressions {

    Names(String text) {
        super(text);
    }

    @Override
    final Node name(NameState state) {
        enter();
        Node node = switch (peek()) {
            case 'N' -> nestedName(state);
            case 'Z' -> localName(state);
            default -> unscopedName(state);
        };
        leave();
        return node;
    }

    private Node unscopedName(NameState state) {
        Node node;
        boolean substituted = false;
        if (peek() == 'S' && peek(1) != 't') {
            node = substitution();
            substituted = true;
        } else if (accept("St")) {
            node = new Node.Nested(new Node.Text("std"), unqualified(state, null));
        } else {
            node = unqualified(state, null);
        }
        if (peek() == 'I') {
            if (!substituted) {
                remember(node);
            }
            node = new Node.Template(node, templateArgs(state.ofFunction));
            state.endsWithTemplateArgs = true;
        } else if (substituted) {
            throw Malformed.NAME;
        }
        return node;
    }

    private Node nestedName(NameState state) {
        expect('N');
        String qualifiers = cvQualifiers();
        if (accept('R')) {
            qualifiers += " &";
        } else if (accept('O')) {
            qualifiers += " &&";
        }
        accept('H');
        state.qualifiers = qualifiers;
        Node scope = null;
        while (!accept('E')) {
            state.endsWithTemplateArgs = false;
            char c = peek();
            if (c == 'T' && peek(1) >= '0' && peek(1) <= '9' || c == 'T' && peek(1) == '_') {
                requireNull(scope);
                scope = remember(templateParameter());
            } else if (c == 'I') {
                scope = remember(new Node.Template(required(scope), templateArgs(state.ofFunction)));
                state.endsWithTemplateArgs = true;
            } else if (c == 'D' && (peek(1) == 't' || peek(1) == 'T')) {
                requireNull(scope);
                scope = remember(decltype());
            } else if (c == 'S') {
                requireNull(scope);
                scope = substitution();
            } else if (c == 'M') {
                at++;
            } else {
                Node name = unqualified(state, scope);
                scope = remember(scope == null ? name : new Node.Nested(scope, name));
            }
        }
        if (scope == null || substitutions.isEmpty()) {
            throw Malformed.NAME;
        }
        // The caller that reads a type adds the complete name to the substitutions.
        if (substitutions.getLast() == scope) {
            substitutions.removeLast();
        }
        return scope;
    }

    private static void requireNull(@org.jspecify.annotations.Nullable Node scope) {
        if (scope != null) {
            throw Malformed.NAME;
        }
    }

    private static Node required(@org.jspecify.annotations.Nullable Node scope) {
        if (scope == null) {
            throw Malformed.NAME;
        }
        return scope;
    }

    private Node localName(NameState state) {
        expect('Z');
        Node function = encoding();
        expect('E');
        if (function instanceof TypeNode.Encoding e) {
            function = e.withoutResult();
        }
        if (accept('s')) {
            discriminator();
            return new Node.Nested(function, new Node.Text("string literal"));
        }
        if (accept('d')) {
            int n = peek() == '_' ? 0 : number() + 1;
            expect('_');
            Node inner = name(state);
            return new Node.Nested(new Node.Nested(function, new Node.Text("{default arg#" + (n + 1) + "}")), inner);
        }
        Node entity = name(state);
        discriminator();
        return new Node.Nested(function, entity);
    }

    private void discriminator() {
        if (peek() != '_') {
            return;
        }
        if (peek(1) == '_') {
            at += 2;
            number();
            accept('_');
        } else if (peek(1) >= '0' && peek(1) <= '9') {
            at += 2;
        }
    }

    private Node unqualified(NameState state, @org.jspecify.annotations.Nullable Node scope) {
        accept('L');
        char c = peek();
        Node node;
        if (c >= '0' && c <= '9') {
            node = sourceName();
            state.isConversionOrStructor = false;
        } else if (c == 'U' && (peek(1) == 't' || peek(1) == 'l')) {
            node = unnamed();
            state.isConversionOrStructor = false;
        } else if (c == 'D' && peek(1) == 'C') {
            at += 2;
            List<Node> bound = new ArrayList<>();
            while (!accept('E')) {
                bound.add(sourceName());
            }
            node = new Node.Affixed("[", new Node.Arguments(bound), "]");
        } else if ((c == 'C' || c == 'D') && scope != null) {
            node = structor(scope);
            state.isConversionOrStructor = true;
        } else {
            node = operator(state);
        }
        while (accept('B')) {
            node = new Node.Affixed("", node, "[abi:" + characters(number()) + "]");
        }
        return node;
    }

    private Node sourceName() {
        String text = characters(number());
        return new Node.Text(text.startsWith("_GLOBAL__N") ? "(anonymous namespace)" : text);
    }

    private Node structor(Node scope) {
        char c = next();
        if (c == 'C') {
            boolean inherited = accept('I');
            char kind = next();
            if (kind < '1' || kind > '5') {
                throw Malformed.NAME;
            }
            if (inherited) {
                type();
            }
        } else {
            char kind = next();
            if (kind != '0' && kind != '1' && kind != '2' && kind != '4' && kind != '5') {
                throw Malformed.NAME;
            }
        }
        Node base = plain(scope.base());
        return c == 'C' ? base : new Node.Affixed("~", base, "");
    }

    /** Returns a name without its ABI tags, because a constructor does not inherit the tags of its class. */
    private static Node plain(Node base) {
        return base instanceof Node.Affixed a && a.after().startsWith("[abi:") ? a.inner() : base;
    }

    private Node unnamed() {
        at++;
        if (next() == 't') {
            return remembered("{unnamed type#" + (sequence() + 1) + "}");
        }
        boolean outer = inLambda;
        inLambda = true;
        List<Node> parameters = new ArrayList<>();
        while (!accept('E')) {
            parameters.add(type());
        }
        inLambda = outer;
        int n = sequence() + 1;
        return new Node.Affixed("{lambda(", new Node.Arguments(withoutVoid(parameters)), ")#" + n + "}");
    }

    private static Node remembered(String text) {
        return new Node.Text(text);
    }

    private Node operator(NameState state) {
        if (accept("cv")) {
            boolean outer = permitForward;
            permitForward = true;
            Node type = type();
            permitForward = outer;
            state.isConversionOrStructor = true;
            return new TypeNode.Conversion(type);
        }
        if (accept("li")) {
            state.isConversionOrStructor = false;
            return new Node.Affixed("operator\"\" ", sourceName(), "");
        }
        Operator operator = Operator.of(next(), next());
        if (operator == null) {
            throw Malformed.NAME;
        }
        state.isConversionOrStructor = false;
        return new Node.Text(operator.asName());
    }

    /** Reads a name in an expression that depends on template parameters. */
    @Override
    final Node unresolvedName() {
        if (accept("sr")) {
            if (accept('N')) {
                Node scope = type();
                while (!accept('E')) {
                    scope = new Node.Nested(scope, simpleId());
                }
                return new Node.Nested(scope, baseUnresolvedName());
            }
            Node scope = type();
            return new Node.Nested(scope, baseUnresolvedName());
        }
        return baseUnresolvedName();
    }

    private Node baseUnresolvedName() {
        if (accept("on")) {
            Node operator = operator(new NameState(false));
            return peek() == 'I' ? new Node.Template(operator, templateArgs(false)) : operator;
        }
        if (accept("dn")) {
            return new Node.Affixed("~", peek() >= '0' && peek() <= '9' ? simpleId() : type(), "");
        }
        return simpleId();
    }

    private Node simpleId() {
        Node name = sourceName();
        return peek() == 'I' ? new Node.Template(name, templateArgs(false)) : name;
    }
}
