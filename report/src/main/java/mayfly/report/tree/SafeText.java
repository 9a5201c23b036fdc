package mayfly.report.tree;

import java.util.HexFormat;

/** Untrusted text made visible: what could end a line, move the cursor, turn the direction or hide is spelt out. */
public final class SafeText {
    /** For a page or a terminal. */
    public static String visible(String text) {
        return escape(text, false);
    }

    /** For a line of collapsed output: {@code ;} and the backslash are spelt out too, so that it can be undone. */
    public static String collapsed(String text) {
        return escape(text, true);
    }

    private static String escape(String text, boolean line) {
        for (int i = 0; i < text.length(); i++) {
            if (mustEscape(text, i, line)) {
                return escapeFrom(text, i, line);
            }
        }
        return text;
    }

    private static String escapeFrom(String text, int first, boolean line) {
        var out = new StringBuilder(text.length() + 16).append(text, 0, first);
        for (int i = first; i < text.length(); i++) {
            if (mustEscape(text, i, line)) {
                out.append("\\u").append(HexFormat.of().toHexDigits(text.charAt(i)));
            } else {
                out.append(text.charAt(i));
            }
        }
        return out.toString();
    }

    private static boolean mustEscape(String text, int at, boolean line) {
        char c = text.charAt(at);
        if (c >= ' ' && c < 0x7F) {
            return line && (c == ';' || c == '\\');
        }
        if (Character.isSurrogate(c) && !hasPartner(text, at)) {
            return true;
        }
        int character = Character.isLowSurrogate(c) ? text.codePointBefore(at + 1) : text.codePointAt(at);
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    private static boolean hasPartner(String text, int at) {
        return Character.isHighSurrogate(text.charAt(at))
                ? at + 1 < text.length() && Character.isLowSurrogate(text.charAt(at + 1))
                : at > 0 && Character.isHighSurrogate(text.charAt(at - 1));
    }

    private SafeText() {}
}
