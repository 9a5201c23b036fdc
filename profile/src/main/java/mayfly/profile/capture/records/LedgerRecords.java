package mayfly.profile.capture.records;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import mayfly.profile.Ledger;
import mayfly.profile.WalkOutcome;
import org.jspecify.annotations.Nullable;

/** Reads the ledgers at the end of a capture. */
final class LedgerRecords {
    /** The start of a key. An event of two digits that no capture can have does no harm. */
    private static final Pattern EVENT = Pattern.compile("|[1-9][0-9]?/");
    /** The ledgers so far, by the start of their keys: see {@link CaptureFormat#ledgerPrefix}. */
    private final Map<String, Lines> ledgers = new HashMap<>();

    void figure(String key, long value) {
        Lines lines = of(key);
        if (lines != null) {
            lines.figures.put(name(key), value);
        }
    }

    void sentence(String key, String value) {
        Lines lines = of(key);
        if (lines != null) {
            lines.sentence(name(key), value);
        }
    }

    /** Returns the ledger that a key belongs to; null if it begins with anything but the number of an event. */
    private @Nullable Lines of(String key) {
        String prefix = key.substring(0, start(key));
        Lines lines = ledgers.get(prefix);
        if (lines == null && EVENT.matcher(prefix).matches()) {
            lines = new Lines();
            ledgers.put(prefix, lines);
        }
        return lines;
    }

    private static String name(String key) {
        return key.substring(start(key));
    }

    private static int start(String key) {
        return key.indexOf('/') + 1;
    }

    /** Returns the ledger of an event, or null if it has none. */
    @Nullable
    Ledger ledger(int event) {
        Lines lines = ledgers.get(CaptureFormat.ledgerPrefix(event));
        return lines == null ? null : lines.ledger();
    }

    /** The lines of one ledger. */
    private static final class Lines {
        private final Map<String, Long> figures = new HashMap<>();
        private final List<String> notes = new ArrayList<>();
        private final List<String> alarms = new ArrayList<>();
        private String collector = "";

        void sentence(String name, String value) {
            switch (name) {
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
                long count = figure("outcome." + outcome.id());
                if (count != 0) {
                    outcomes.put(outcome, count);
                }
            }
            return new Ledger(
                    collector,
                    (int) figure("rate"),
                    figure("duration_nanos"),
                    outcomes,
                    figure("lost"),
                    figure("throttled"),
                    figure("duplicates"),
                    figure("sampled_cpu_nanos"),
                    figures.getOrDefault("proc_cpu_nanos", -1L),
                    figure("superseded_frames"),
                    figure("continued_stacks"),
                    figure("unsaved_stacks"),
                    figures.getOrDefault("inferred_leaves", -1L),
                    false,
                    notes,
                    alarms);
        }

        private long figure(String name) {
            return figures.getOrDefault(name, 0L);
        }
    }
}
