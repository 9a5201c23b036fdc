package mayfly.audit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import mayfly.process.KernelThreadName;

/** The counts of each item of a kind in two audits. */
final class ItemPairs {

    private static final List<String> OWNERS = List.of(ProcessReader.OF_JVM, ProcessReader.OF_JDK);

    private final Map<String, Long> before;
    private final Map<String, Long> after;

    private ItemPairs(Map<String, Long> before, Map<String, Long> after) {
        this.before = before;
        this.after = after;
    }

    static ItemPairs of(Map<String, Long> before, Map<String, Long> after) {
        return new ItemPairs(new TreeMap<>(before), new TreeMap<>(after));
    }

    Iterable<String> items() {
        TreeSet<String> all = new TreeSet<>(before.keySet());
        all.addAll(after.keySet());
        return all;
    }

    long before(String item) {
        return before.getOrDefault(item, 0L);
    }

    long after(String item) {
        return after.getOrDefault(item, 0L);
    }

    /**
     * Removes threads that have their Java name in one audit and the kernel's name in the other: while a collection
     * moves objects, names cannot be read from the JVM's memory. The owners cannot be read then either, and the owner
     * of a running thread cannot be determined at all.
     */
    void pairThreads() {
        for (String item : items()) {
            for (String owner : OWNERS) {
                if (item.endsWith(owner)) {
                    pair(item, item.substring(0, item.length() - owner.length()));
                }
            }
        }
        Map<String, List<String>> byKernelName = new HashMap<>();
        for (String item : items()) {
            if (item.startsWith("\"") && item.length() > 1) {
                for (String kernel : kernelNames(item)) {
                    byKernelName
                            .computeIfAbsent(kernel, name -> new ArrayList<>())
                            .add(item);
                }
            }
        }
        byKernelName.forEach((kernel, names) -> names.forEach(name -> pair(name, kernel)));
    }

    private void pair(String name, String other) {
        pair(name, other, before, after);
        pair(name, other, after, before);
    }

    /** Removes an increase of one name and an equal decrease of the other: they are the same threads. */
    private static void pair(String name, String kernel, Map<String, Long> has, Map<String, Long> lacks) {
        long more = has.getOrDefault(name, 0L) - lacks.getOrDefault(name, 0L);
        long less = lacks.getOrDefault(kernel, 0L) - has.getOrDefault(kernel, 0L);
        long same = Math.min(more, less);
        if (same > 0) {
            has.merge(name, -same, Long::sum);
            lacks.merge(kernel, -same, Long::sum);
        }
    }

    private static Set<String> kernelNames(String item) {
        String quoted = item;
        for (String owner : OWNERS) {
            quoted = quoted.endsWith(owner) ? quoted.substring(0, quoted.length() - owner.length()) : quoted;
        }
        if (quoted.length() < 2) {
            return Set.of();
        }
        return KernelThreadName.of(quoted.substring(1, quoted.length() - 1));
    }
}
