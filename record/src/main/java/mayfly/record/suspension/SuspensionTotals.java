package mayfly.record.suspension;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import mayfly.profile.Frame;
import org.jspecify.annotations.Nullable;

/** The sums over all suspensions of a recording, for its ledger. */
public final class SuspensionTotals {
    /** The kinds of operations that the ledger lists. */
    private static final int LISTED = 8;

    private static final Comparator<Sum> BY_TIME = Comparator.comparingLong(Sum::nanos);

    /**
     * A number of occurrences with their times.
     *
     * @param longest the longest one, ns
     * @param longestCause the operation of that one
     */
    private record Sum(long count, long nanos, long longest, String longestCause) {
        static final Sum NONE = new Sum(0, 0, 0, "");

        Sum plus(long times, long more, String cause) {
            boolean isLongest = more >= longest;
            return new Sum(count + times, nanos + more, isLongest ? more : longest, isLongest ? cause : longestCause);
        }
    }

    private Sum reaching = Sum.NONE;
    private Sum stopped = Sum.NONE;
    private long unfinished;
    private final Map<String, Sum> byCause = new HashMap<>();
    /** The time to safepoints for which each place in the program was sampled. */
    private final Map<String, Sum> byPlace = new HashMap<>();

    /** Adds a suspension with all its samples. */
    public void add(ObservedSuspension suspension) {
        String cause = suspension.cause().isEmpty() ? "unknown operation" : suspension.cause();
        unfinished += suspension.hasEnded() ? 0 : 1;
        reaching = reaching.plus(1, suspension.reachingNanos(), cause);
        stopped = stopped.plus(1, suspension.stoppedNanos(), cause);
        byCause.merge(
                cause,
                Sum.NONE.plus(1, suspension.reachingNanos() + suspension.stoppedNanos(), cause),
                (before, more) -> before.plus(1, more.nanos, cause));
        suspension.samples().forEach((sample, count) -> {
            String place = place(sample.innermost());
            long share = suspension.reachingNanos() / suspension.sampleCount() * count;
            byPlace.put(place, byPlace.getOrDefault(place, Sum.NONE).plus(count, share, cause));
        });
    }

    private static String place(Frame.@Nullable Managed innermost) {
        if (innermost == null) {
            return "native code";
        }
        String near = innermost.certainty() == Frame.Certainty.CERTAIN ? "line " : "near line ";
        return innermost.label() + (innermost.line() < 0 ? "" : " (" + near + innermost.line() + ")");
    }

    /**
     * Returns sentences about the sums.
     *
     * @param missed the number of suspensions whose times are not known
     */
    public List<String> notes(long missed) {
        List<String> notes = new ArrayList<>();
        notes.add("safepoints: " + (stopped.count + missed));
        if (missed > 0) {
            notes.add("safepoints with unknown times: " + missed
                    + "; the next one followed within a millisecond, or the" + " recorder was kept from running");
        }
        if (unfinished > 0) {
            notes.add("safepoints that had not ended when the recording ended: " + unfinished);
        }
        if (stopped.count > 0) {
            addTimes(notes);
        }
        return notes;
    }

    private void addTimes(List<String> notes) {
        notes.add("time to safepoint: " + text(reaching));
        byPlace.entrySet().stream()
                .max(Map.Entry.comparingByValue(BY_TIME))
                .ifPresent(most -> notes.add(String.format(
                        Locale.ROOT,
                        "delayed most by %s: %s of the time to safepoint, in %d samples",
                        most.getKey(),
                        millis(most.getValue().nanos),
                        most.getValue().count)));
        notes.add("at safepoints: " + text(stopped));
        notes.add("by operation: "
                + byCause.entrySet().stream()
                        .sorted(Map.Entry.comparingByValue(BY_TIME.reversed()))
                        .limit(LISTED)
                        .map(cause -> cause.getKey() + " " + millis(cause.getValue().nanos) + " ("
                                + cause.getValue().count + ")")
                        .collect(Collectors.joining(", ")));
    }

    private static String text(Sum sum) {
        return millis(sum.nanos) + " in total, " + millis(sum.longest) + " at most (" + sum.longestCause + ")";
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3f ms", nanos / 1e6);
    }
}
