package mayfly.record.collection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The sums over all pauses of a recording, for its ledger. */
public final class CollectionTotals {
    /** The kinds of pauses that the ledger lists. */
    private static final int LISTED = 8;
    /** Upper bound on the kinds that are added up one by one: the names are the target's. */
    private static final int MAX_NAMES = 100;

    private static final String OTHERS = "others";

    /** A number of pauses with their time, ns. */
    private record Sum(long count, long nanos) {
        Sum plus(Sum other) {
            return new Sum(count + other.count, nanos + other.nanos);
        }
    }

    private Sum all = new Sum(0, 0);
    private long longestNanos = -1;
    private String longest = "";
    private long unfinished;
    private long withoutCause;
    private final Map<String, Sum> byCause = new HashMap<>();

    /** Adds a pause. */
    public void add(ObservedPause pause) {
        Sum one = new Sum(1, pause.nanos());
        String name = pause.collector() + (pause.cause().isEmpty() ? "" : ", " + pause.cause());
        all = all.plus(one);
        byCause.merge(byCause.size() < MAX_NAMES || byCause.containsKey(name) ? name : OTHERS, one, Sum::plus);
        unfinished += pause.hasEnded() ? 0 : 1;
        withoutCause += pause.isCauseKnown() ? 0 : 1;
        if (pause.nanos() > longestNanos) {
            longestNanos = pause.nanos();
            longest = name;
        }
    }

    /**
     * Returns sentences about the sums.
     *
     * @param missed the number of pauses whose times are not known
     * @param missedNanos the time of all these together, ns
     * @param recordedNanos the time of the recording, ns
     */
    public List<String> notes(long missed, long missedNanos, long recordedNanos) {
        List<String> notes = new ArrayList<>();
        notes.add("collection pauses: " + (all.count + missed));
        if (missed > 0) {
            notes.add("collection pauses with unknown times: " + missed + ", " + millis(missedNanos)
                    + " in total; another one of the same garbage collector followed before a reading, as while the JVM"
                    + " starts or the recorder is kept from running");
        }
        if (withoutCause > 0) {
            notes.add("collection pauses with an unknown cause: " + withoutCause
                    + "; no reading saw them in progress, and another operation of the JVM followed");
        }
        if (unfinished > 0) {
            notes.add("collection pauses that had not ended when the recording ended: " + unfinished);
        }
        if (all.count > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "in collection pauses: %s in total, %.2f %% of the recording's time; %s at most (%s)",
                    millis(all.nanos),
                    100.0 * all.nanos / Math.max(1, recordedNanos),
                    millis(longestNanos),
                    longest));
            notes.add("by garbage collector and cause: "
                    + byCause.entrySet().stream()
                            .sorted(Map.Entry.comparingByValue(
                                    Comparator.comparingLong(Sum::nanos).reversed()))
                            .limit(LISTED)
                            .map(each -> each.getKey() + " " + millis(each.getValue().nanos) + " ("
                                    + each.getValue().count + ")")
                            .collect(Collectors.joining("; ")));
        }
        return notes;
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3f ms", nanos / 1e6);
    }
}
