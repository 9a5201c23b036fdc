package mayfly.cli.output;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Map;
import mayfly.audit.Audit;
import mayfly.audit.AuditComparison;
import mayfly.audit.AuditDifference;
import mayfly.audit.AuditKind;
import mayfly.audit.AuditSection;
import mayfly.report.json.Json;
import org.jspecify.annotations.Nullable;

/** An audit as JSON, see docs/formats/audit-json.md. */
public final class AuditJson {
    private static final int MAX_BUFFERED = 1 << 16;

    private AuditJson() {}

    /**
     * Writes an audit, or its differences from an earlier one, as one line. Does not close the stream.
     *
     * @param before the earlier audit; null if nothing is compared
     * @param comparison the differences; null if nothing is compared
     * @throws IOException if the stream cannot be written
     */
    public static void write(
            int pid, Audit audit, @Nullable Audit before, @Nullable AuditComparison comparison, OutputStream out)
            throws IOException {
        var json = new Json();
        json.beginObject()
                .name("schema")
                .value("mayfly-audit-json/1")
                .name("pid")
                .value(pid)
                .name("time")
                .value(audit.time().toString())
                .name("runtimes")
                .beginArray();
        audit.runtimes().forEach(json::value);
        json.endArray().name("notSeen").value(AuditKind.NOT_SEEN);
        if (before == null || comparison == null) {
            json.name("kinds").beginArray();
            for (AuditKind kind : AuditKind.values()) {
                kind(audit, audit.section(kind), json, out);
            }
            json.endArray();
        } else {
            compared(before, comparison, json, out);
        }
        json.endObject().drainTo(out);
        out.write('\n');
    }

    private static void kind(Audit audit, AuditSection section, Json json, OutputStream out) throws IOException {
        AuditKind kind = section.kind();
        json.beginObject()
                .name("kind")
                .value(kind.id())
                .name("seen")
                .value(kind.seen())
                .name("unseen")
                .value(kind.unseen())
                .name("problem")
                .value(section.problem())
                .name("items")
                .beginArray();
        for (Map.Entry<String, Long> item : section.items().entrySet()) {
            json.beginObject()
                    .name("item")
                    .value(item.getKey())
                    .name("count")
                    .value(item.getValue())
                    .name("owner")
                    .value(word(audit.owner(kind, item.getKey())))
                    .endObject();
            drain(json, out);
        }
        json.endArray().endObject();
    }

    private static void compared(Audit before, AuditComparison comparison, Json json, OutputStream out)
            throws IOException {
        json.name("comparedWith")
                .value(before.time().toString())
                .name("differences")
                .beginArray();
        for (AuditDifference difference : comparison.differences()) {
            json.beginObject()
                    .name("kind")
                    .value(difference.kind().id())
                    .name("item")
                    .value(difference.item())
                    .name("before")
                    .value(difference.before())
                    .name("after")
                    .value(difference.after())
                    .name("verdict")
                    .value(word(difference.verdict()))
                    .name("reason")
                    .value(difference.reason())
                    .endObject();
            drain(json, out);
        }
        json.endArray().name("uncompared").beginArray();
        comparison
                .uncompared()
                .forEach((kind, why) -> json.beginObject()
                        .name("kind")
                        .value(kind.id())
                        .name("reason")
                        .value(why)
                        .endObject());
        json.endArray();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static void drain(Json json, OutputStream out) throws IOException {
        if (json.length() > MAX_BUFFERED) {
            json.drainTo(out);
        }
    }
}
