package mayfly.hotspot.counters;

import java.util.ArrayList;
import java.util.List;
import mayfly.hotspot.counters.PauseKind.Causes;
import mayfly.runtime.collection.Collection;

/**
 * The causes of pauses, from the counters {@code sun.gc.cause} and {@code sun.gc.lastCause}, see GCCauseSetter in
 * collectedHeap.hpp.
 *
 * <p>Before an operation begins its pauses, the VM moves the cause to the last cause, and sets the cause to that of the
 * operation. After them, it does the same with the cause from before, which usually is none. An operation can contain
 * another one with a cause of its own. So the cause of a pause in progress is known. That of a pause that no reading
 * saw in progress is known only if no other operation can have begun since the last reading: each has a safepoint.
 */
final class PauseCauses {
    /** GCCause::_no_gc: no operation is executing. */
    private static final String NONE = "No GC";

    private final List<Causes> collectors;
    /** The number of the last reading; -1 if unknown. */
    private long safepointsBefore = -1;

    /** @param collectors the time for which the cause of each collector's pauses is named */
    PauseCauses(List<Causes> collectors) {
        this.collectors = collectors;
    }

    /**
     * Returns the pauses of a reading with their causes.
     *
     * @param pauses the latest one of each collector
     * @param now the cause at the time of the reading; empty if the VM does not name it
     * @param last the last cause; empty if the VM does not name it
     * @param safepoints a number that is odd at a safepoint, and greater by two after each; -1 if unknown
     */
    List<Collection> named(List<Collection> pauses, String now, String last, long safepoints) {
        boolean isOneOperation = isOneSafepoint(safepoints);
        List<Collection> named = new ArrayList<>(pauses.size());
        for (int i = 0; i < pauses.size(); i++) {
            Collection pause = pauses.get(i);
            String cause = switch (collectors.get(i)) {
                case NONE -> "";
                case CYCLE -> known(isNone(now) ? last : now);
                case OPERATION -> known(pause.isInProgress() ? now : ended(pause, pauses, now, last, isOneOperation));
            };
            named.add(pause.withCause(cause));
        }
        safepointsBefore = safepoints;
        return named;
    }

    /** Returns true if there was at most one safepoint since the last reading, with one at that time. */
    private boolean isOneSafepoint(long safepoints) {
        long end = (safepointsBefore | 1) + 1; // of the present safepoint, or of the next one
        return safepointsBefore >= 0 && safepoints >= safepointsBefore && safepoints <= end;
    }

    /** Returns the cause of a pause that has ended; none or empty if it is not known. */
    private String ended(Collection pause, List<Collection> pauses, String now, String last, boolean isOneOperation) {
        if (isNone(now)) {
            return isLatest(pause, pauses) || isOneOperation ? last : "";
        }
        if (isNone(last)) {
            return isOneOperation ? now : "";
        }
        // One operation contains another. While the inner one is executing, the last cause is that of the outer one.
        return pauses.stream().anyMatch(Collection::isInProgress) ? last : "";
    }

    /** Returns true if no pause with a cause has begun after this one. */
    private boolean isLatest(Collection pause, List<Collection> pauses) {
        for (int i = 0; i < pauses.size(); i++) {
            if (collectors.get(i) != Causes.NONE && pauses.get(i).begun() > pause.begun()) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNone(String cause) {
        return cause.isEmpty() || cause.equals(NONE);
    }

    private static String known(String cause) {
        return isNone(cause) ? Collection.UNKNOWN : cause;
    }
}
