package mayfly.record.wait;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The sums of the waits of a recording by their reasons, for its ledger. */
public final class ReasonTotals {
    private final Map<WaitReason, Sum> sums = new EnumMap<>(WaitReason.class);

    /** The samples of one reason. */
    private record Sum(long count, long nanos) {
        Sum plus(Sum more) {
            return new Sum(count + more.count, nanos + more.nanos);
        }
    }

    /** Adds a wait. */
    public void add(WaitReason reason, long nanos) {
        sums.merge(reason, new Sum(1, nanos), Sum::plus);
    }

    /** Returns a sentence about the sums, the longest first; empty if there was no wait. */
    public String note() {
        return sums.isEmpty()
                ? ""
                : "waits by reason, and their samples: "
                        + sums.entrySet().stream()
                                .sorted(Map.Entry.comparingByValue(
                                        Comparator.comparingLong(Sum::nanos).reversed()))
                                .map(sum -> String.format(
                                        Locale.ROOT,
                                        "%s %.2f s (%d)",
                                        sum.getKey().word(),
                                        sum.getValue().nanos / 1e9,
                                        sum.getValue().count))
                                .collect(Collectors.joining(", "));
    }
}
