package mayfly.host.id;

import org.jspecify.annotations.Nullable;

/** The signature of a class, as JVMTI returns it. */
public final class ClassSignature {
    private ClassSignature() {}

    /**
     * Returns the name as {@link Class#getName}: {@code p.C} for {@code Lp/C;}, {@code [Lp.C;} for {@code [Lp/C;}, and
     * {@code p.C/0x1} for {@code Lp/C.0x1;}, a hidden class. Returns an empty text without a signature: the class has
     * been unloaded.
     */
    public static String className(@Nullable String signature) {
        if (signature == null || signature.length() < 2) {
            return "";
        }
        String name = signature.replace('/', '.');
        int hidden = signature.lastIndexOf('.');
        if (hidden >= 0) {
            name = name.substring(0, hidden) + '/' + name.substring(hidden + 1);
        }
        return name.charAt(0) == 'L' ? name.substring(1, name.length() - 1) : name;
    }
}
