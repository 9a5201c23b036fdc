package mayfly.host.probe;

import org.jspecify.annotations.Nullable;

/**
 * A pattern of methods: {@code package.Class.method}, in which {@code *} stands for any number of characters, also dots
 * and none, and which may end with a descriptor, as in {@code java.util.zip.*.read([BII)I}. A nested class is written
 * {@code Outer$Nested}.
 */
public final class MethodPattern {
    /** Larger than any name in use. It bounds the time of a match. */
    static final int MAX_LENGTH = 1_000;

    /** Characters that the class part and the method part may not contain: JVMS 4.2.2, and those of a descriptor. */
    private static final String NOT_IN_NAMES = ";[/()";

    /** Characters that a class in a descriptor may not contain, beside those that end it. */
    private static final String NOT_IN_CLASSES = ".[()<>*";

    private static final int MAX_DIMENSIONS = 255;

    private final String className;
    private final String method;
    private final @Nullable String descriptor;

    private MethodPattern(String className, String method, @Nullable String descriptor) {
        this.className = className;
        this.method = method;
        this.descriptor = descriptor;
    }

    /**
     * Reads a pattern.
     *
     * @throws MalformedPattern if the text is no pattern
     */
    public static MethodPattern parse(String text) throws MalformedPattern {
        if (text.isEmpty()) {
            throw new MalformedPattern("the pattern is empty; a pattern is package.Class.method");
        }
        if (text.length() > MAX_LENGTH) {
            throw new MalformedPattern("the pattern has more than " + MAX_LENGTH + " characters");
        }
        int open = text.indexOf('(');
        String names = open < 0 ? text : text.substring(0, open);
        String descriptor = open < 0 ? null : text.substring(open);
        checkCharacters(names);
        int dot = names.lastIndexOf('.');
        if (dot < 0) {
            throw new MalformedPattern("the pattern names no class; a pattern is package.Class.method");
        }
        String className = names.substring(0, dot);
        String method = names.substring(dot + 1);
        if (className.isEmpty()
                || method.isEmpty()
                || className.startsWith(".")
                || className.contains("..")
                || className.endsWith(".")) {
            throw new MalformedPattern("the pattern has an empty name; a pattern is package.Class.method");
        }
        if (hasAngle(className) || hasAngle(method) && !method.equals("<init>") && !method.equals("<clinit>")) {
            throw new MalformedPattern(
                    "the pattern has < or > in a name; the only such methods are <init> and <clinit>");
        }
        if (descriptor != null && !isMethodDescriptor(descriptor)) {
            throw new MalformedPattern("the pattern ends with no valid descriptor, as in (ILjava/lang/String;)V");
        }
        return new MethodPattern(className, method, descriptor);
    }

    private static void checkCharacters(String names) throws MalformedPattern {
        for (int i = 0; i < names.length(); i++) {
            char each = names.charAt(i);
            if (each <= ' ' || Character.isISOControl(each)) {
                throw new MalformedPattern("the pattern contains a blank or a control character");
            }
            if (NOT_IN_NAMES.indexOf(each) >= 0) {
                throw new MalformedPattern("the pattern contains " + each
                        + " in a name; a class is written with dots, as in java.util.zip.Inflater.inflate");
            }
        }
    }

    private static boolean hasAngle(String name) {
        return name.indexOf('<') >= 0 || name.indexOf('>') >= 0;
    }

    /** JVMS 4.3.3. */
    private static boolean isMethodDescriptor(String text) {
        int at = 1;
        while (at < text.length() && text.charAt(at) != ')') {
            at = endOfType(text, at);
            if (at < 0) {
                return false;
            }
        }
        if (at >= text.length()) {
            return false;
        }
        return text.substring(at).equals(")V") || endOfType(text, at + 1) == text.length();
    }

    /** Returns the end of the field descriptor that begins at an index; -1 if there is none. */
    private static int endOfType(String text, int begin) {
        int at = begin;
        while (at < text.length() && text.charAt(at) == '[') {
            at++;
        }
        if (at >= text.length() || at - begin > MAX_DIMENSIONS) {
            return -1;
        }
        if (text.charAt(at) != 'L') {
            return "BCDFIJSZ".indexOf(text.charAt(at)) < 0 ? -1 : at + 1;
        }
        int end = text.indexOf(';', at);
        for (int i = at + 1; i < end; i++) {
            char each = text.charAt(i);
            if (each <= ' ' || Character.isISOControl(each) || NOT_IN_CLASSES.indexOf(each) >= 0) {
                return -1;
            }
        }
        return end <= at + 1 ? -1 : end + 1;
    }

    /**
     * Returns true if methods of a class may match.
     *
     * @param name the binary name, as in {@code java.util.Map$Entry}
     */
    public boolean matchesClass(String name) {
        return matches(className, name);
    }

    /**
     * Returns true if a method of a matching class matches.
     *
     * @param descriptorOfMethod as in the class file: {@code (ILjava/lang/String;)V}
     */
    public boolean matchesMethod(String name, String descriptorOfMethod) {
        return matches(method, name) && (descriptor == null || descriptor.equals(descriptorOfMethod));
    }

    /** Tries the last {@code *} only, with more and more characters: an earlier one need not be tried again. */
    private static boolean matches(String pattern, String name) {
        int star = -1;
        int resume = 0;
        int p = 0;
        int n = 0;
        while (n < name.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                resume = n;
            } else if (p < pattern.length() && pattern.charAt(p) == name.charAt(n)) {
                p++;
                n++;
            } else if (star >= 0) {
                p = star + 1;
                n = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }

    /** Returns the pattern as it was written. */
    @Override
    public String toString() {
        return className + "." + method + (descriptor == null ? "" : descriptor);
    }
}
