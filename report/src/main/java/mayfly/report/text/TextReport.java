package mayfly.report.text;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import mayfly.profile.Ledger;
import mayfly.profile.Profile;
import mayfly.report.facts.Facts;
import mayfly.report.tree.CallTree;
import mayfly.report.tree.SafeText;
import mayfly.report.tree.TopFrames;

/** Writes the hottest frames and their callers, and the ledger, as text. */
public final class TextReport {
    private static final int HOT = 30;
    private static final int CALLED = 10;
    private static final int WIDTH = 120;

    /**
     * Writes the report.
     *
     * @throws IOException if the stream cannot be written
     */
    public static void write(CallTree tree, Profile profile, OutputStream out) throws IOException {
        Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16);
        line(writer, Facts.title(profile.recording()));
        line(writer, Facts.subtitle(profile));
        for (String warning : profile.warnings()) {
            line(writer, "warning: " + SafeText.visible(warning));
        }
        String certain = Facts.certainLeaves(profile.ledger());
        if (!certain.isEmpty()) {
            line(writer, certain);
        }
        line(writer, "");
        HottestPaths paths = HottestPaths.of(tree, HOT);
        for (String text : paths.lines(WIDTH)) {
            line(writer, text);
        }
        List<TopFrames.Row> hot = paths.top();
        var callers = new Callers(tree);
        for (TopFrames.Row row : hot.subList(0, Math.min(CALLED, hot.size()))) {
            if (row.self() > 0) {
                line(writer, "");
                line(
                        writer,
                        "callers of " + SafeText.visible(row.label()) + " (self: "
                                + Columns.percent(row.self(), tree.total()).strip() + " of the total)");
                for (String text : callers.lines(row.label(), WIDTH)) {
                    line(writer, text);
                }
            }
        }
        line(writer, "");
        for (Ledger.Row row : profile.ledger().rows()) {
            line(writer, SafeText.visible(row.name() + ": " + row.value()));
        }
        writer.flush();
    }

    private static void line(Writer writer, String text) throws IOException {
        writer.write(text);
        writer.write('\n');
    }

    private TextReport() {}
}
