package mayfly.binary.demangle;

/** Reads back references: substitutions and template parameters. Itanium C++ ABI, 5.1.8 and 5.1.9. */
abstract class Substitutions extends Input {
    private static final String ALLOCATOR = "std::allocator<char>";
    private static final String TRAITS = "std::char_traits<char>";

    Substitutions(String text) {
        super(text);
    }

    final Node templateParameter() {
        expect('T');
        int index = sequence();
        if (inLambda) {
            return new Node.Text("auto:" + (index + 1));
        }
        if (permitForward) {
            Node.Forward forward = new Node.Forward(index);
            forwards.add(forward);
            return forward;
        }
        return argument(index);
    }

    private Node argument(int index) {
        if (index >= templateArguments.size()) {
            throw Malformed.NAME;
        }
        return new Node.Parameter(index, templateArguments.get(index));
    }

    /** Reads S with a sequence number in base 36, or a standard abbreviation, expanded as libiberty does. */
    final Node substitution() {
        expect('S');
        char c = next();
        String streams = "<char, " + TRAITS + " >";
        return switch (c) {
            case 't' -> new Node.Text("std");
            case 'a' -> new Node.StandardType("std::allocator", "allocator");
            case 'b' -> new Node.StandardType("std::basic_string", "basic_string");
            case 's' ->
                new Node.StandardType("std::basic_string<char, " + TRAITS + ", " + ALLOCATOR + " >", "basic_string");
            case 'i' -> new Node.StandardType("std::basic_istream" + streams, "basic_istream");
            case 'o' -> new Node.StandardType("std::basic_ostream" + streams, "basic_ostream");
            case 'd' -> new Node.StandardType("std::basic_iostream" + streams, "basic_iostream");
            default -> numbered(c);
        };
    }

    private Node numbered(char first) {
        int index = 0;
        if (first != '_') {
            char c = first;
            do {
                boolean isDigit = c >= '0' && c <= '9';
                if (!isDigit && (c < 'A' || c > 'Z') || index > 1 << 20) {
                    throw Malformed.NAME;
                }
                index = index * 36 + (isDigit ? c - '0' : c - 'A' + 10);
                c = next();
            } while (c != '_');
            index++;
        }
        if (index >= substitutions.size()) {
            throw Malformed.NAME;
        }
        Node node = substitutions.get(index);
        // A substitution replaces text: a parameter takes the arguments that are in effect here.
        return node instanceof Node.Parameter p && p.index() < templateArguments.size() ? argument(p.index()) : node;
    }
}
