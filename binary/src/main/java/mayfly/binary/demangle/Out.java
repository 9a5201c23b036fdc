package mayfly.binary.demangle;

/** The output of a demangled name: text of bounded length, printed in a bounded number of steps. */
final class Out {
    private static final int MAX_TEXT = 1 << 16;
    private static final int MAX_STEPS = 1 << 18;
    private static final int MAX_DEPTH = 600;

    private final StringBuilder text = new StringBuilder();
    private int steps;
    private int depth;
    /** The current element of the argument packs being printed; -1 outside of expansions. */
    int packIndex = -1;
    /** The number of elements of the pack in the current expansion; -1 until a pack was printed. */
    int packSize = -1;

    Out add(String s) {
        if (text.length() + s.length() > MAX_TEXT) {
            throw Malformed.NAME;
        }
        text.append(s);
        return this;
    }

    /** Prints both sides of a type or name. */
    Out add(Node node) {
        left(node);
        right(node);
        return this;
    }

    Out left(Node node) {
        enter();
        node.left(this);
        depth--;
        return this;
    }

    Out right(Node node) {
        enter();
        node.right(this);
        depth--;
        return this;
    }

    private void enter() {
        step();
        if (++depth > MAX_DEPTH) {
            throw Malformed.NAME;
        }
    }

    /** Counts a step of printing, which may print nothing. */
    void step() {
        if (++steps > MAX_STEPS) {
            throw Malformed.NAME;
        }
    }

    /** Prints a list with commas. Elements that print nothing, such as empty packs, get no comma. */
    Out addAll(java.util.List<Node> nodes) {
        boolean first = true;
        for (Node node : nodes) {
            int before = text.length();
            if (!first) {
                add(", ");
            }
            int after = text.length();
            add(node);
            if (text.length() == after) {
                text.setLength(before);
            } else {
                first = false;
            }
        }
        return this;
    }

    /** Prints template arguments in their brackets, with a space between two adjacent brackets. */
    Out addArguments(java.util.List<Node> arguments) {
        add(last() == '<' ? " <" : "<").addAll(arguments);
        return add(last() == '>' ? " >" : ">");
    }

    char last() {
        return text.isEmpty() ? 0 : text.charAt(text.length() - 1);
    }

    int length() {
        return text.length();
    }

    void truncate(int length) {
        text.setLength(length);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
