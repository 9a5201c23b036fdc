package mayfly.binary.demangle;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Types that are built from other types. */
interface TypeNode extends Node {

    /** A type with qualifiers, such as {@code int const}, or with vendor qualifiers. */
    record Qualified(Node type, String qualifiers) implements TypeNode {
        @Override
        public void left(Out out) {
            out.left(type).add(qualifiers);
        }

        @Override
        public void right(Out out) {
            out.right(type);
        }

        @Override
        public boolean isArray() {
            return type.isArray();
        }

        @Override
        public boolean isFunction() {
            return type.isFunction();
        }
    }

    /** Pointers and references. */
    record Pointer(Node pointee, String sign) implements TypeNode {
        /** Returns the result of collapsing references to references: one ampersand takes precedence over two. */
        private Pointer collapsed() {
            if (sign.equals("*")) {
                return this;
            }
            Node to = pointee;
            String kept = sign;
            for (int i = 0; i < 64; i++) {
                Node seen = target(to);
                if (seen instanceof Pointer p && !p.sign.equals("*")) {
                    kept = p.sign.equals("&") ? "&" : kept;
                    to = p.pointee;
                } else {
                    break;
                }
            }
            return new Pointer(to, kept);
        }

        @Override
        public void left(Out out) {
            Pointer p = collapsed();
            Node to = current(p.pointee, out);
            out.left(to);
            if (to.isArray()) {
                out.add(" (");
            } else if (to.isFunction()) {
                out.add("(");
            }
            out.add(p.sign);
        }

        @Override
        public void right(Out out) {
            Node to = current(collapsed().pointee, out);
            if (to.isArray() || to.isFunction()) {
                out.add(")");
            }
            out.right(to);
        }
    }

    /**
     * Returns the node to print for a given node: the argument of a template parameter, the target of a forward
     * reference, and of a pack its current element; otherwise the node itself.
     */
    private static Node current(Node given, Out out) {
        Node node = target(given);
        if (node instanceof Pack pack) {
            int i = Math.max(out.packIndex, 0);
            if (out.packSize < 0) {
                out.packSize = pack.elements().size();
            }
            return i < pack.elements().size() ? pack.elements().get(i) : node;
        }
        return node;
    }

    private static Node target(Node node) {
        return switch (node) {
            case Parameter p -> target(p.argument());
            case Forward f when f.target != null -> f.target;
            default -> node;
        };
    }

    record MemberPointer(Node owner, Node member) implements TypeNode {
        @Override
        public void left(Out out) {
            out.left(member);
            if (member.isFunction() || member.isArray()) {
                out.add(member.isArray() ? " (" : "(");
            } else {
                out.add(" ");
            }
            out.add(owner).add("::*");
        }

        @Override
        public void right(Out out) {
            if (member.isFunction() || member.isArray()) {
                out.add(")");
            }
            out.right(member);
        }
    }

    record Array(Node element, @Nullable Node bound) implements TypeNode {
        @Override
        public void left(Out out) {
            out.left(element);
        }

        @Override
        public void right(Out out) {
            out.add(out.last() == ']' ? "[" : " [");
            if (bound != null) {
                out.add(bound);
            }
            out.add("]").right(element);
        }

        @Override
        public boolean isArray() {
            return true;
        }
    }

    /**
     * A function type. The qualifiers include those of the object on which it is called, and the exception
     * specification.
     */
    record Function(Node result, List<Node> parameters, String qualifiers) implements TypeNode {
        @Override
        public void left(Out out) {
            out.left(result).add(result instanceof Pointer p && Encoding.pointsBack(p) ? "" : " ");
        }

        @Override
        public void right(Out out) {
            out.add("(").addAll(parameters).add(")").add(qualifiers).right(result);
        }

        @Override
        public boolean isFunction() {
            return true;
        }
    }

    /** A function with its name. The result type is null unless the function is a template. */
    record Encoding(@Nullable Node result, Node name, List<Node> parameters, String qualifiers) implements TypeNode {
        @Override
        public void left(Out out) {
            if (result != null) {
                out.left(result);
                if (!result.isArray() && !result.isFunction() && !(result instanceof Pointer p && pointsBack(p))) {
                    out.add(" ");
                }
            }
            out.add(name);
        }

        static boolean pointsBack(Pointer p) {
            return p.pointee().isFunction() || p.pointee().isArray();
        }

        @Override
        public void right(Out out) {
            out.add("(").addAll(parameters).add(")");
            if (result != null) {
                out.right(result);
            }
            out.add(qualifiers);
        }

        /** Returns this function as it is printed inside another name. */
        Encoding withoutResult() {
            return new Encoding(null, name, parameters, qualifiers);
        }
    }

    /** {@code operator T}. The left and right side of the type are printed without a name between them. */
    record Conversion(Node type) implements TypeNode {
        @Override
        public void left(Out out) {
            out.add("operator ").add(type);
        }
    }
}
