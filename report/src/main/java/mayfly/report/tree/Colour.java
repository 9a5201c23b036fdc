package mayfly.report.tree;

import java.util.Locale;

/** The colour of a frame. The page's style sheet defines a colour for each constant, by {@link #key}. */
public enum Colour {
    INTERPRETED,
    C1,
    C2,
    COMPILED,
    INLINED,
    INFERRED,
    NATIVE_METHOD,
    STUB,
    VM,
    NATIVE,
    KERNEL,
    BROKEN,
    THREAD;

    /** Returns the word for it in the style sheet, such as {@code native-method}. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
