package mayfly.report.tree;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Puts the nodes of a tree into the order in which they are drawn and printed: heaviest child first, equals by
 * name.
 */
final class PreOrder {
    private static final long[] NO_MIX = {};

    private final Column parents;
    private final Column nodeNames;
    private final List<FrameName> names;
    private final long[] selves;
    private final long[] totals;
    private final long[][] mixes;
    private final int count;

    PreOrder(Column parents, Column nodeNames, List<FrameName> names, long[] selves, long[] totals, long[][] mixes) {
        this.parents = parents;
        this.nodeNames = nodeNames;
        this.names = names;
        this.selves = selves;
        this.totals = totals;
        this.mixes = mixes;
        count = parents.size();
    }

    CallTree tree(Weight weight, long[] leafKinds, long leftOut) {
        int[] order = order();
        int[] depthOf = new int[count];
        int[] depths = new int[count];
        int[] orderedNames = new int[count];
        Kind[] kinds = new Kind[count];
        long[] orderedSelves = new long[count];
        long[] orderedTotals = new long[count];
        long[][] orderedMixes = new long[count][];
        for (int i = 0; i < count; i++) {
            int node = order[i];
            int parent = parents.get(node);
            depthOf[node] = parent < 0 ? 0 : depthOf[parent] + 1;
            depths[i] = depthOf[node];
            orderedNames[i] = nodeNames.get(node);
            orderedSelves[i] = selves[node];
            orderedTotals[i] = totals[node];
            kinds[i] = kind(node);
            orderedMixes[i] = isMixed(mixes[node]) ? mixes[node] : NO_MIX;
        }
        return new CallTree(weight, names, depths, orderedNames, kinds, orderedSelves, orderedTotals, orderedMixes,
                leafKinds, leftOut);
    }

    /** Children of all nodes, sorted; then a walk with a stack of its own, as trees are deep. */
    private int[] order() {
        int[] first = new int[count + 1];
        for (int node = 1; node < count; node++) {
            first[parents.get(node) + 1]++;
        }
        for (int i = 1; i <= count; i++) {
            first[i] += first[i - 1];
        }
        Integer[] sorted = new Integer[Math.max(0, count - 1)];
        for (int node = 1; node < count; node++) {
            sorted[node - 1] = node;
        }
        Arrays.sort(sorted, Comparator.<Integer>comparingInt(parents::get)
                .thenComparing(Comparator.<Integer>comparingLong(node -> totals[node]).reversed())
                .thenComparing((a, b) -> name(a).label().compareTo(name(b).label()))
                .thenComparing((a, b) -> name(a).kind().compareTo(name(b).kind()))
                .thenComparing((a, b) -> name(a).detail().compareTo(name(b).detail())));
        int[] order = new int[count];
        int[] stack = new int[count];
        int depth = 1;
        int done = 0;
        while (depth > 0) {
            int node = stack[--depth];
            order[done++] = node;
            for (int i = first[node + 1] - 1; i >= first[node]; i--) {
                stack[depth++] = sorted[i];
            }
        }
        return order;
    }

    private FrameName name(int node) {
        return names.get(nodeNames.get(node));
    }

    private Kind kind(int node) {
        long[] mix = mixes[node];
        if (mix == null) {
            return name(node).kind();
        }
        int best = 0;
        for (int i = 1; i < mix.length; i++) {
            if (mix[i] > mix[best]) {
                best = i;
            }
        }
        return Kind.values()[best];
    }

    private static boolean isMixed(long[] mix) {
        return mix != null && Arrays.stream(mix).filter(part -> part > 0).count() > 1;
    }
}
