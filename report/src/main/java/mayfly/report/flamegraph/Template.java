package mayfly.report.flamegraph;

import java.util.Map;

/** An HTML page with {@code {{name}}} where values go. */
final class Template {
    /** Replaces each name once, in one pass: a value that contains braces is not looked at again. */
    static String fill(String template, Map<String, String> values) {
        var out = new StringBuilder(template.length() * 2);
        int at = 0;
        int open;
        while ((open = template.indexOf("{{", at)) >= 0) {
            int close = template.indexOf("}}", open);
            String value = close < 0 ? null : values.get(template.substring(open + 2, close));
            if (value == null) {
                throw new IllegalStateException("the template asks for something unknown at character " + open);
            }
            out.append(template, at, open).append(value);
            at = close + 2;
        }
        return out.append(template, at, template.length()).toString();
    }

    /** Text for an element's content or a quoted attribute. */
    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    private Template() {}
}
