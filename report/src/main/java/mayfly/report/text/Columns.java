package mayfly.report.text;

import java.util.Locale;
import mayfly.report.tree.SafeText;

/** Formats the columns of a text. */
public final class Columns {
    /** Formats a share of the whole, seven characters wide. */
    public static String percent(long part, long whole) {
        return String.format(Locale.ROOT, "%5.1f %%", part * 100.0 / whole);
    }

    /** Shortens a long name in its middle. Keeps the package at its start and the method at its end. */
    public static String fit(String label, int room) {
        String text = SafeText.visible(label);
        if (text.length() <= room) {
            return text;
        }
        int tail = room * 2 / 3;
        return text.substring(0, room - tail - 1) + "…" + text.substring(text.length() - tail);
    }

    private Columns() {}
}
