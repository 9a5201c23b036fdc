package mayfly.report.flamegraph;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** An HTML page with {@code {{name}}} as placeholders for values. */
final class Template {
    /** Writes the value of a placeholder. */
    @FunctionalInterface
    interface Value {
        void writeTo(OutputStream out) throws IOException;
    }

    /** Returns a value that is a text. */
    static Value text(String text) {
        return out -> out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes the page in one pass and replaces each placeholder. Braces in a value have no effect. */
    static void write(String template, Map<String, Value> values, OutputStream out) throws IOException {
        int at = 0;
        int open;
        while ((open = template.indexOf("{{", at)) >= 0) {
            int close = template.indexOf("}}", open);
            Value value = close < 0 ? null : values.get(template.substring(open + 2, close));
            if (value == null) {
                throw new IllegalStateException("the template has an unknown placeholder at character " + open);
            }
            text(template.substring(at, open)).writeTo(out);
            value.writeTo(out);
            at = close + 2;
        }
        text(template.substring(at)).writeTo(out);
    }

    /** Escapes a text for an element's content or a quoted attribute. */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    private Template() {}
}
