package mayfly.hotspot.threads;

import java.util.Map;

/** The names of classes as in source code. The VM has those of {@link Class#getName}. */
final class TypeNames {
    private static final Map<String, String> PRIMITIVES = Map.of(
            "Z", "boolean", "B", "byte", "C", "char", "S", "short", "I", "int", "J", "long", "F", "float", "D",
            "double");

    private TypeNames() {}

    /** Returns a name such as {@code byte[]} for {@code [B}, and other names unchanged. */
    static String inSource(String name) {
        int dimensions = 0;
        while (dimensions < name.length() && name.charAt(dimensions) == '[') {
            dimensions++;
        }
        String element = name.substring(dimensions);
        if (dimensions == 0) {
            return name;
        }
        if (element.startsWith("L") && element.endsWith(";")) {
            return element.substring(1, element.length() - 1) + "[]".repeat(dimensions);
        }
        String primitive = PRIMITIVES.get(element);
        return primitive == null ? name : primitive + "[]".repeat(dimensions);
    }
}
