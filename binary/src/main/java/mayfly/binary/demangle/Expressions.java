package mayfly.binary.demangle;

import static mayfly.binary.demangle.ExpressionNode.wrapped;

import java.util.ArrayList;
import java.util.List;

/** Reads template arguments and the expressions in them. */
abstract class Expressions extends Types {

    Expressions(String text) {
        super(text);
    }

    abstract Node encoding();

    abstract Node unresolvedName();

    /**
     * Reads template arguments.
     *
     * @param known true if T_ refers to one of these arguments from now on
     */
    @Override
    final List<Node> templateArgs(boolean known) {
        expect('I');
        if (known) {
            templateArguments = new ArrayList<>();
        }
        List<Node> arguments = new ArrayList<>();
        List<Node> meant = new ArrayList<>();
        while (!accept('E')) {
            if (accept('Q')) {
                expression();
                continue;
            }
            Node argument = templateArg();
            arguments.add(argument);
            meant.add(argument instanceof Node.Arguments a ? new Node.Pack(a.elements()) : argument);
            if (known) {
                templateArguments = meant;
            }
        }
        return arguments;
    }

    private Node templateArg() {
        enter();
        try {
            switch (peek()) {
                case 'X' -> {
                    at++;
                    Node node = expression();
                    expect('E');
                    return node;
                }
                case 'J', 'I' -> {
                    at++;
                    List<Node> elements = new ArrayList<>();
                    while (!accept('E')) {
                        elements.add(templateArg());
                    }
                    return new Node.Arguments(elements);
                }
                case 'L' -> {
                    return primary();
                }
                default -> {
                    return type();
                }
            }
        } finally {
            leave();
        }
    }

    /** Reads a literal or the name of an external entity. */
    private Node primary() {
        expect('L');
        if (peek() == '_' && peek(1) == 'Z') {
            at += 2;
            Node node = encoding();
            expect('E');
            return node;
        }
        char kind = peek();
        Node type = type();
        if (accept('E')) {
            return new Node.Affixed("(", type, ")");
        }
        String sign = accept('n') ? "-" : "";
        StringBuilder digits = new StringBuilder(sign);
        while (peek() != 'E') {
            digits.append(next());
        }
        at++;
        String value = digits.toString();
        return switch (kind) {
            case 'i' -> new Node.Text(value);
            case 'j' -> new Node.Text(value + "u");
            case 'l' -> new Node.Text(value + "l");
            case 'm' -> new Node.Text(value + "ul");
            case 'x' -> new Node.Text(value + "ll");
            case 'y' -> new Node.Text(value + "ull");
            case 'b' ->
                switch (value) {
                    case "0" -> new Node.Text("false");
                    case "1" -> new Node.Text("true");
                    default -> new Node.Affixed("(", type, ")" + value);
                };
            case 'f', 'd', 'e', 'g' -> new Node.Affixed("(", type, ")[" + value + "]");
            default -> new Node.Affixed("(", type, ")" + value);
        };
    }

    @Override
    final Node expression() {
        enter();
        Node node = expressionInside();
        leave();
        return node;
    }

    private List<Node> expressions() {
        List<Node> nodes = new ArrayList<>();
        while (!accept('E')) {
            nodes.add(expression());
        }
        return nodes;
    }

    private static Node list(String before, List<Node> nodes, String after) {
        return new Node.Affixed(before, new Node.Arguments(nodes), after);
    }

    private static Node joined(Node... parts) {
        return new Node.Joined(List.of(parts));
    }

    private Node expressionInside() {
        char c = peek();
        char d = peek(1);
        if (c == 'L') {
            return primary();
        }
        if (c == 'T') {
            return templateParameter();
        }
        if (c == 'f' && (d == 'p' || d == 'L')) {
            return new ExpressionNode.Simple(functionParameter());
        }
        if (c >= '0' && c <= '9' || c == 's' && d == 'r' || c == 'o' && d == 'n' || c == 'd' && d == 'n') {
            return unresolvedName();
        }
        switch ("" + c + d) {
            case "cl" -> {
                at += 2;
                Node called = expression();
                return joined(wrapped("", called), list("(", expressions(), ")"));
            }
            case "cv" -> {
                at += 2;
                Node type = type();
                if (accept('_')) {
                    return joined(new Node.Affixed("(", type, ")"), list("(", expressions(), ")"));
                }
                return joined(new Node.Affixed("(", type, ")"), wrapped("", expression()));
            }
            case "tl" -> {
                at += 2;
                Node type = type();
                return joined(type, list("{", expressions(), "}"));
            }
            case "il" -> {
                at += 2;
                return list("{", expressions(), "}");
            }
            case "st" -> {
                at += 2;
                return new Node.Affixed("sizeof (", type(), ")");
            }
            case "sz" -> {
                at += 2;
                return wrapped("sizeof ", expression());
            }
            case "sZ" -> {
                at += 2;
                return new Node.Affixed("sizeof...(", expression(), ")");
            }
            case "at" -> {
                at += 2;
                return new Node.Affixed("alignof (", type(), ")");
            }
            case "az" -> {
                at += 2;
                return wrapped("alignof ", expression());
            }
            case "nx" -> {
                at += 2;
                return wrapped("noexcept", expression());
            }
            case "sp" -> {
                at += 2;
                return new Node.Expansion(expression());
            }
            case "tw" -> {
                at += 2;
                return wrapped("throw ", expression());
            }
            case "tr" -> {
                at += 2;
                return new Node.Text("throw");
            }
            case "ti", "te" -> {
                at += 2;
                return new Node.Affixed("typeid (", d == 'i' ? type() : expression(), ")");
            }
            case "dt", "pt" -> {
                at += 2;
                Node object = expression();
                Node member = unresolvedName();
                return joined(wrapped("", object), new Node.Affixed(c == 'd' ? "." : "->", member, ""));
            }
            case "dc", "sc", "cc", "rc" -> {
                at += 2;
                String cast = switch (c) {
                    case 'd' -> "dynamic";
                    case 's' -> "static";
                    case 'c' -> "const";
                    default -> "reinterpret";
                };
                Node type = type();
                return joined(new Node.Affixed(cast + "_cast<", type, ">"), new Node.Affixed("(", expression(), ")"));
            }
            case "ix" -> {
                at += 2;
                Node array = expression();
                return joined(wrapped("", array), new Node.Affixed("[", expression(), "]"));
            }
            case "qu" -> {
                at += 2;
                Node condition = wrapped("", expression());
                Node yes = wrapped("?", expression());
                Node no = wrapped(" : ", expression());
                return joined(condition, yes, no);
            }
            case "pp", "mm" -> {
                at += 2;
                String sign = c == 'p' ? "++" : "--";
                return accept('_')
                        ? wrapped(sign, expression())
                        : new Node.Affixed("", wrapped("", expression()), sign);
            }
            default -> {
                Operator operator = Operator.of(c, d);
                if (operator == null || operator.operands() == 0) {
                    throw Malformed.NAME;
                }
                at += 2;
                Node first = expression();
                if (operator.operands() == 2) {
                    return new ExpressionNode.Infix(first, operator.symbol(), expression());
                }
                if (operator.code().equals("ad") && first instanceof TypeNode.Encoding e) {
                    boolean member = e.name() instanceof Node.Nested;
                    return member ? new Node.Affixed("&", e.name(), "") : new Node.Affixed("&(", e, ")");
                }
                return operator.code().equals("ad") && first instanceof Node.Text
                        ? new Node.Affixed("&", first, "")
                        : wrapped(operator.symbol(), first);
            }
        }
    }

    private Node functionParameter() {
        at++;
        if (accept('L')) {
            number();
        }
        expect('p');
        if (accept('T')) {
            return new Node.Text("this");
        }
        cvQualifiers();
        return new Node.Text("{parm#" + (sequence() + 1) + "}");
    }
}
