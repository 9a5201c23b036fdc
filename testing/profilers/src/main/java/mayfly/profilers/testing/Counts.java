package mayfly.profilers.testing;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the calls of each callback. It uses no lambda. The first use of one, with the lock held, could wait for a JDK
 * class that another thread is initialising. That other thread would report the class to this profiler, and so wait for
 * the lock.
 */
final class Counts {
    private final Map<String, Long> counts = new HashMap<>();

    synchronized void add(String callback) {
        counts.put(callback, counts.getOrDefault(callback, 0L) + 1);
    }

    synchronized long of(String callback) {
        return counts.getOrDefault(callback, 0L);
    }

    /** Returns a line for each callback that has been called: its name and the number of calls. */
    synchronized String lines() {
        StringBuilder lines = new StringBuilder();
        for (Map.Entry<String, Long> each : new TreeMap<>(counts).entrySet()) {
            lines.append(each.getKey()).append(' ').append(each.getValue()).append('\n');
        }
        return lines.toString();
    }
}
