package mayfly.report.tree;

/** The parameters of a JVM descriptor in source form. See JVMS 4.3.3. */
final class Signature {
    /** Returns text like {@code (int, java.lang.String[])}; a malformed descriptor is returned unchanged. */
    static String parameters(String descriptor) {
        int end = descriptor.lastIndexOf(')');
        if (!descriptor.startsWith("(") || end < 0) {
            return descriptor;
        }
        var out = new StringBuilder("(");
        int at = 1;
        while (at < end) {
            int dimensions = 0;
            while (at < end && descriptor.charAt(at) == '[') {
                dimensions++;
                at++;
            }
            if (at == end || dimensions > 255) {
                return descriptor;
            }
            if (out.length() > 1) {
                out.append(", ");
            }
            char kind = descriptor.charAt(at++);
            if (kind == 'L') {
                int semicolon = descriptor.indexOf(';', at);
                if (semicolon < 0 || semicolon > end) {
                    return descriptor;
                }
                out.append(descriptor.substring(at, semicolon).replace('/', '.'));
                at = semicolon + 1;
            } else {
                String primitive = primitive(kind);
                if (primitive.isEmpty()) {
                    return descriptor;
                }
                out.append(primitive);
            }
            out.repeat("[]", dimensions);
        }
        return out.append(')').toString();
    }

    private static String primitive(char kind) {
        return switch (kind) {
            case 'B' -> "byte";
            case 'C' -> "char";
            case 'D' -> "double";
            case 'F' -> "float";
            case 'I' -> "int";
            case 'J' -> "long";
            case 'S' -> "short";
            case 'Z' -> "boolean";
            default -> "";
        };
    }

    private Signature() {}
}
