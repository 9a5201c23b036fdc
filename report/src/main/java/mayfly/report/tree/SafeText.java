package mayfly.report.tree;

import java.util.HexFormat;

/**
 * Escapes characters of untrusted text that are invisible, end a line, move the cursor, or change the direction of
 * writing.
 */
public final class SafeText {
    /** Escapes a text for a page or a terminal. */
    public static String visible(String text) {
        return escape(text, false);
    }

    /**
     * Escapes a text for a line of collapsed output: {@code ;} and the backslash are escaped too, so that the original
     * text can be restored.
     */
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
