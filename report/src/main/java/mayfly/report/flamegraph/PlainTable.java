package mayfly.report.flamegraph;

import java.util.Locale;
import mayfly.report.tree.CallTree;
import mayfly.report.tree.SafeText;
import mayfly.report.tree.TopFrames;

/** The top frames as a table, for a browser without scripts. */
final class PlainTable {
    private static final int ROWS = 20;
    private static final int MAX_NAME_LENGTH = 300;

    static String html(CallTree tree) {
        var out = new StringBuilder("<table><caption>Frames with the most self weight</caption>"
                + "<thead><tr><th>self</th><th>total</th><th>frame</th></tr></thead><tbody>");
        for (TopFrames.Row row : TopFrames.bySelf(tree, ROWS)) {
            String label = SafeText.visible(row.label());
            out.append("<tr><td>")
                    .append(percent(row.self(), tree.total()))
                    .append("</td><td>")
                    .append(percent(row.total(), tree.total()))
                    .append("</td><td>")
                    .append(Template.escape(cut(label)))
                    .append("</td></tr>");
        }
        return out.append("</tbody></table>").toString();
    }

    private static String cut(String label) {
        return label.length() > MAX_NAME_LENGTH ? label.substring(0, MAX_NAME_LENGTH) + "…" : label;
    }

    private static String percent(long part, long whole) {
        return String.format(Locale.ROOT, "%.2f&nbsp;%%", whole == 0 ? 0 : part * 100.0 / whole);
    }

    private PlainTable() {}
}
