package mayfly.audit;

import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Audits composed by tests. */
final class Audits {
    static final Audit.Identity PROCESS = new Audit.Identity(4711, 123_456, "0f1e2d3c-boot");
    static final String EVIL = "evil\u001b[2J\t\n\\\u202e\ud800";

    private Audits() {}

    /** Returns an audit in which every kind was read and only the given one has items. */
    static Audit with(AuditKind kind, Map<String, Long> items) {
        return with(Map.of(kind, items));
    }

    static Audit with(Map<AuditKind, Map<String, Long>> items) {
        Map<AuditKind, AuditSection> sections = new EnumMap<>(AuditKind.class);
        for (AuditKind each : AuditKind.values()) {
            sections.put(each, AuditSection.seen(each, new TreeMap<>(items.getOrDefault(each, Map.of()))));
        }
        return new Audit(
                PROCESS, Instant.parse("2026-01-02T03:04:05.678Z"), List.of("r1 HotSpot 25.0.3+9-LTS"), sections);
    }

    static Audit without(AuditKind kind, String problem) {
        Map<AuditKind, AuditSection> sections = new EnumMap<>(
                with(AuditKind.THREADS, Map.of(EVIL, 2L, "\"main\"", 1L)).sections());
        sections.put(kind, AuditSection.unseen(kind, problem));
        return new Audit(
                PROCESS, Instant.parse("2026-01-02T03:04:05.678Z"), List.of("r1 HotSpot 25.0.3+9-LTS"), sections);
    }
}
