package mayfly.client;

import java.time.Instant;
import java.util.List;
import mayfly.client.json.BadJson;
import mayfly.client.json.JsonObject;

/** The results of {@code audit}, read from its JSON, see docs/formats/audit-json.md. */
final class AuditResults {
    static final String SCHEMA = "mayfly-audit-json/1";
    private static final String LEFTOVER = "leftover";

    private AuditResults() {}

    record Report(long pid, Instant time, List<String> runtimes, String notSeen, List<AuditReport.Kind> kinds)
            implements AuditReport {

        static Report of(JsonObject json) throws BadJson {
            return new Report(
                    json.number("pid"),
                    json.time("time"),
                    json.texts("runtimes"),
                    json.text("notSeen"),
                    json.objects("kinds", OneKind::of));
        }
    }

    record OneKind(String kind, String seen, String unseen, String problem, List<AuditReport.Item> items)
            implements AuditReport.Kind {

        static OneKind of(JsonObject json) throws BadJson {
            return new OneKind(
                    json.text("kind"),
                    json.text("seen"),
                    json.text("unseen"),
                    json.text("problem"),
                    json.objects("items", OneItem::of));
        }
    }

    record OneItem(String text, long count, String owner) implements AuditReport.Item {
        static OneItem of(JsonObject json) throws BadJson {
            return new OneItem(json.text("item"), json.number("count"), json.text("owner"));
        }
    }

    record Comparison(
            long pid,
            Instant time,
            Instant comparedWith,
            List<String> runtimes,
            String notSeen,
            List<AuditComparison.Difference> differences,
            List<AuditComparison.Uncompared> uncompared)
            implements AuditComparison {

        static Comparison of(JsonObject json) throws BadJson {
            return new Comparison(
                    json.number("pid"),
                    json.time("time"),
                    json.time("comparedWith"),
                    json.texts("runtimes"),
                    json.text("notSeen"),
                    json.objects("differences", OneDifference::of),
                    json.objects("uncompared", OneUncompared::of));
        }

        @Override
        public List<AuditComparison.Difference> leftovers() {
            return differences.stream()
                    .filter(difference -> difference.verdict().equals(LEFTOVER))
                    .toList();
        }
    }

    record OneDifference(String kind, String text, long before, long after, String verdict, String reason)
            implements AuditComparison.Difference {

        static OneDifference of(JsonObject json) throws BadJson {
            return new OneDifference(
                    json.text("kind"),
                    json.text("item"),
                    json.number("before"),
                    json.number("after"),
                    json.text("verdict"),
                    json.text("reason"));
        }
    }

    record OneUncompared(String kind, String reason) implements AuditComparison.Uncompared {
        static OneUncompared of(JsonObject json) throws BadJson {
            return new OneUncompared(json.text("kind"), json.text("reason"));
        }
    }
}
