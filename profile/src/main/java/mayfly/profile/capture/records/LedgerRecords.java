package mayfly.profile.capture.records;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.profile.Ledger;
import mayfly.profile.WalkOutcome;

/** Reads the ledger at the end of a capture. */
final class LedgerRecords {
    private final Map<String, Long> figures = new HashMap<>();
    private final List<String> notes = new ArrayList<>();
    private final List<String> alarms = new ArrayList<>();
    private String collector = "";

    void figure(String key, long value) {
        figures.put(key, value);
    }

    void sentence(String key, String value) {
        switch (key) {
            case "collector" -> collector = value;
            case "note" -> addTo(notes, value);
            case "alarm" -> addTo(alarms, value);
            default -> {}
        }
    }

    private static void addTo(List<String> sentences, String sentence) {
        if (sentences.size() < AboutRecords.MAX_SENTENCES) {
            sentences.add(sentence);
        }
    }

    Ledger ledger() {
        var outcomes = new EnumMap<WalkOutcome, Long>(WalkOutcome.class);
        for (WalkOutcome outcome : WalkOutcome.values()) {
            long count = of("outcome." + outcome.id());
            if (count != 0) {
                outcomes.put(outcome, count);
            }
        }
        return new Ledger(
                collector,
                (int) of("rate"),
                of("duration_nanos"),
                outcomes,
                of("lost"),
                of("throttled"),
                of("duplicates"),
                of("sampled_cpu_nanos"),
                figures.getOrDefault("proc_cpu_nanos", -1L),
                of("superseded_frames"),
                of("continued_stacks"),
                of("unsaved_stacks"),
                figures.getOrDefault("inferred_leaves", -1L),
                false,
                notes,
                alarms);
    }

    private long of(String key) {
        return figures.getOrDefault(key, 0L);
    }
}
