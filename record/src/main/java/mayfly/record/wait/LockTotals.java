package mayfly.record.wait;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import mayfly.profile.RuntimeId;
import mayfly.record.wait.ContendedLock.Kind;

/** The sums over all waits for locks of a recording, for its ledger. */
public final class LockTotals {
    /** The locks that the ledger lists, and the owners of each. */
    private static final int LISTED = 5;
    /** Upper bound on the locks that are added up one by one. Then those with less time than most are dropped. */
    private static final int MAX_LOCKS = 2_000;
    /** Upper bound on the owners of one lock that are counted one by one. */
    private static final int MAX_OWNERS = 20;

    private static final Comparator<Map.Entry<Key, Sum>> LONGEST_FIRST =
            Map.Entry.comparingByValue(Comparator.comparingLong(Sum::nanos).reversed());

    private final Map<Kind, Sum> byKind = new EnumMap<>(Kind.class);
    private final Map<Key, Sum> byLock = new HashMap<>();
    private final Sum unknown = new Sum();
    private final long minNanos;
    private long shortNanos;
    private long dropped;

    /** A lock for as long as it keeps its address. */
    private record Key(RuntimeId runtime, Kind kind, String type, long address) {}

    private static final class Sum {
        private final Map<String, Long> owners = new HashMap<>();
        private long nanos;
        private long samples;

        void add(long more) {
            nanos += more;
            samples++;
        }

        void addOwner(String owner) {
            if (!owner.isEmpty() && (owners.size() < MAX_OWNERS || owners.containsKey(owner))) {
                owners.merge(owner, 1L, Long::sum);
            }
        }

        long nanos() {
            return nanos;
        }

        @Override
        public String toString() {
            return seconds(nanos) + " in " + samples + (samples == 1 ? " sample" : " samples");
        }
    }

    /** @param minNanos the shortest wait that is read; 0 if the source does not distinguish waits by their length */
    public LockTotals(long minNanos) {
        this.minNanos = minNanos;
    }

    /** Adds a sample of a wait for a lock. */
    public void add(ContendedLock lock, long nanos) {
        byKind.computeIfAbsent(lock.kind(), _ -> new Sum()).add(nanos);
        Key key = new Key(lock.runtime(), lock.kind(), lock.type(), lock.address());
        if (byLock.size() >= MAX_LOCKS && !byLock.containsKey(key)) {
            dropHalf();
        }
        Sum sum = byLock.computeIfAbsent(key, _ -> new Sum());
        sum.add(nanos);
        sum.addOwner(lock.owner());
    }

    private void dropHalf() {
        List<Key> shortest = byLock.entrySet().stream()
                .sorted(LONGEST_FIRST)
                .skip(MAX_LOCKS / 2)
                .map(Map.Entry::getKey)
                .toList();
        shortest.forEach(byLock::remove);
        dropped += shortest.size();
    }

    /** Adds a wait of which it is not known whether it was for a lock. */
    public void addUnknown(long nanos) {
        unknown.add(nanos);
    }

    /** Adds waits that were too short to be read. */
    public void addShort(long nanos) {
        shortNanos += nanos;
    }

    /**
     * Returns sentences about the sums.
     *
     * @param lookup has read the locks
     */
    public List<String> notes(LockLookup lookup) {
        List<String> notes = new ArrayList<>();
        notes.add("waits for locks: "
                + (byKind.isEmpty()
                        ? "none"
                        : byKind.entrySet().stream()
                                .map(kind -> kind.getKey().word() + " " + kind.getValue())
                                .collect(Collectors.joining(", "))));
        byLock.entrySet().stream()
                .sorted(LONGEST_FIRST)
                .limit(LISTED)
                .forEach(lock -> notes.add(line(lock.getKey(), lock.getValue())));
        if (dropped > 0) {
            notes.add("locks that are not in this list, although they may have been awaited again: " + dropped);
        }
        if (unknown.samples > 0) {
            notes.add("waits that may have been for locks, which were not read in time: " + unknown);
        }
        if (shortNanos > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "waits below %d ms, for locks or for anything else, are not read: %s of all threads (--min-wait)",
                    minNanos / 1_000_000,
                    seconds(shortNanos)));
        }
        if (lookup.notSearched() > 0) {
            notes.add(lookup.notSearched()
                    + " owners were not read, because the searches for owners had used their share of CPU time");
        }
        lookup.unread()
                .forEach((reason, count) ->
                        notes.add(count + " attempts to read a lock failed and were repeated: " + reason.label()));
        return notes;
    }

    private static String line(Key lock, Sum sum) {
        String owners = sum.owners.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(LISTED)
                .map(owner -> owner.getKey() + " (" + owner.getValue() + ")")
                .collect(Collectors.joining(", "));
        return lock.kind.word() + " " + lock.type + " at 0x" + Long.toHexString(lock.address) + ": " + sum
                + (owners.isEmpty() ? "" : "; " + owners);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.2f s", nanos / 1e9);
    }
}
