package mayfly.audit;

import java.util.SortedMap;
import java.util.TreeMap;

/** Accumulates the items of one kind. A process may contain any number of items, with any names. */
final class Items {
    /** Upper bound on the number of items. A large application server has some 60,000 classes. */
    static final int MAX_ITEMS = 150_000;
    /** Upper bound on the length of an item, in chars. Longer ones are truncated: they are for a human reader. */
    static final int MAX_LENGTH = 300;

    private final SortedMap<String, Long> counts = new TreeMap<>();

    void add(String text) throws NotSeen {
        add(text, 1);
    }

    void add(String text, long times) throws NotSeen {
        counts.merge(text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "...", times, Items::sum);
        if (counts.size() > MAX_ITEMS) {
            throw new NotSeen("there are more than " + MAX_ITEMS + " different items");
        }
    }

    /** A file may contain any counts. */
    private static long sum(long some, long more) {
        return some > Long.MAX_VALUE - more ? Long.MAX_VALUE : some + more;
    }

    SortedMap<String, Long> counts() {
        return counts;
    }
}
