package mayfly.binary.demangle;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A parsed part of a name. C declarators surround the declared name, so a type has a left and a right side:
 * {@code int (*} and {@code ) [3]}.
 */
interface Node {
    void left(Out out);

    default void right(Out out) {}

    /** Returns true if a pointer to it needs parentheses because it is an array. */
    default boolean isArray() {
        return false;
    }

    /** Returns true if a pointer to it needs parentheses because it is a function. */
    default boolean isFunction() {
        return false;
    }

    /** Returns the last part of a name without template arguments: the name of its constructors. */
    default Node base() {
        return this;
    }

    record Text(String text) implements Node {
        @Override
        public void left(Out out) {
            out.add(text);
        }
    }

    /** An abbreviation such as {@code std::string}, whose constructors have the name of the template. */
    record StandardType(String text, String name) implements Node {
        @Override
        public void left(Out out) {
            out.add(text);
        }

        @Override
        public Node base() {
            return new Text(name);
        }
    }

    /** Text before or after a part. */
    record Affixed(String before, Node inner, String after) implements Node {
        @Override
        public void left(Out out) {
            out.add(before).add(inner).add(after);
        }

        @Override
        public Node base() {
            return after.startsWith("[abi:") ? inner.base() : this;
        }
    }

    /** Adjacent parts. */
    record Joined(List<Node> parts) implements Node {
        @Override
        public void left(Out out) {
            for (Node part : parts) {
                out.add(part);
            }
        }
    }

    record Nested(Node scope, Node name) implements Node {
        @Override
        public void left(Out out) {
            out.add(scope).add("::").add(name);
        }

        @Override
        public Node base() {
            return name.base();
        }
    }

    record Template(Node name, List<Node> arguments) implements Node {
        @Override
        public void left(Out out) {
            out.add(name).addArguments(arguments);
        }

        @Override
        public Node base() {
            return name.base();
        }
    }

    /** The arguments of one parameter pack. */
    record Arguments(List<Node> elements) implements Node {
        @Override
        public void left(Out out) {
            out.addAll(elements);
        }
    }

    /** The use of a parameter pack. Inside an expansion it prints the current element. */
    record Pack(List<Node> elements) implements Node {
        private @Nullable Node element(Out out) {
            if (out.packSize < 0) {
                out.packSize = elements.size();
            }
            int i = Math.max(out.packIndex, 0);
            return i < elements.size() ? elements.get(i) : null;
        }

        @Override
        public void left(Out out) {
            Node element = element(out);
            if (element != null) {
                out.left(element);
            }
        }

        @Override
        public void right(Out out) {
            Node element = element(out);
            if (element != null) {
                out.right(element);
            }
        }
    }

    /** A template parameter with its argument. */
    record Parameter(int index, Node argument) implements Node {
        @Override
        public void left(Out out) {
            out.left(argument);
        }

        @Override
        public void right(Out out) {
            out.right(argument);
        }

        @Override
        public boolean isArray() {
            return argument.isArray();
        }

        @Override
        public boolean isFunction() {
            return argument.isFunction();
        }
    }

    record Expansion(Node pattern) implements Node {
        @Override
        public void left(Out out) {
            int outerIndex = out.packIndex;
            int outerSize = out.packSize;
            out.packIndex = 0;
            out.packSize = -1;
            int before = out.length();
            out.add(pattern);
            if (out.packSize < 0) {
                out.add("...");
            } else if (out.packSize == 0) {
                out.truncate(before);
            } else {
                int size = out.packSize;
                for (int i = 1; i < size; i++) {
                    out.add(", ");
                    out.packIndex = i;
                    out.add(pattern);
                }
            }
            out.packIndex = outerIndex;
            out.packSize = outerSize;
        }
    }

    /** A template parameter that was used before its arguments were read, as in conversion operators. */
    final class Forward implements Node {
        final int index;

        @Nullable
        Node target;

        private boolean printing;

        Forward(int index) {
            this.index = index;
        }

        @Override
        public void left(Out out) {
            if (target == null || printing) {
                throw Malformed.NAME;
            }
            printing = true;
            out.left(target);
            printing = false;
        }

        @Override
        public void right(Out out) {
            if (target == null || printing) {
                throw Malformed.NAME;
            }
            printing = true;
            out.right(target);
            printing = false;
        }
    }
}
