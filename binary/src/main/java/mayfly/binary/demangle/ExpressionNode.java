package mayfly.binary.demangle;

/** Expressions in template arguments, with parentheses as libiberty prints them. */
interface ExpressionNode extends Node {

    /** {@code (a)+(b)}. */
    record Infix(Node left, String operator, Node right) implements ExpressionNode {
        @Override
        public void left(Out out) {
            boolean greater = operator.equals(">");
            out.add(greater ? "(" : "");
            operand(out, left);
            out.add(operator);
            operand(out, right);
            out.add(greater ? ")" : "");
        }

        private static void operand(Out out, Node node) {
            if (node instanceof Simple) {
                out.add(node);
            } else {
                out.add("(").add(node).add(")");
            }
        }
    }

    /** A function parameter, which needs no parentheses. */
    record Simple(Node inner) implements ExpressionNode {
        @Override
        public void left(Out out) {
            out.add(inner);
        }
    }

    /** Returns an operand after its operator. */
    static Node wrapped(String before, Node inner) {
        return inner instanceof Simple ? new Affixed(before, inner, "") : new Affixed(before + "(", inner, ")");
    }
}
