package mayfly.report.tree;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Puts the nodes of a tree into the order in which they are drawn and printed: heaviest child first, equals by
 * name.
 */
final class PreOrder {
    /** Pairs of a node's parent, which comes before it, and its name. */
    private final PairTable nodes;
    private final List<FrameName> names;
    private final long[] selves;
    private final long[] totals;
    private final Mixes mixes;
    private final int count;

    PreOrder(PairTable nodes, List<FrameName> names, long[] selves, long[] totals, Mixes mixes) {
        this.nodes = nodes;
        this.names = names;
        this.selves = selves;
        this.totals = totals;
        this.mixes = mixes;
        count = nodes.size();
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
            int parent = nodes.first(node);
            depthOf[node] = parent < 0 ? 0 : depthOf[parent] + 1;
            depths[i] = depthOf[node];
            orderedNames[i] = nodes.second(node);
            orderedSelves[i] = selves[node];
            orderedTotals[i] = totals[node];
            Kind kind = mixes.kindOf(node);
            kinds[i] = kind == null ? name(node).kind() : kind;
            orderedMixes[i] = mixes.mixOf(node);
        }
        return new CallTree(weight, names, depths, orderedNames, kinds, orderedSelves, orderedTotals, orderedMixes,
                leafKinds, leftOut);
    }

    /** Children of all nodes, sorted; then a walk with a stack of its own, as trees are deep. */
    private int[] order() {
        int[] first = new int[count + 1];
        for (int node = 1; node < count; node++) {
            first[nodes.first(node) + 1]++;
        }
        for (int i = 1; i <= count; i++) {
            first[i] += first[i - 1];
        }
        int[] children = children(first);
        int[] order = new int[count];
        int[] stack = new int[count];
        int depth = 1;
        int done = 0;
        while (depth > 0) {
            int node = stack[--depth];
            order[done++] = node;
            for (int i = first[node + 1] - 1; i >= first[node]; i--) {
                stack[depth++] = children[i];
            }
        }
        return order;
    }

    /** The children of node 0, of node 1, …, each node's from {@code first[node]} on. */
    private int[] children(int[] first) {
        int[] next = first.clone();
        int[] children = new int[Math.max(0, count - 1)];
        for (int node = 1; node < count; node++) {
            children[next[nodes.first(node)]++] = node;
        }
        Comparator<Integer> order = siblings();
        for (int node = 0; node < count; node++) {
            int siblings = first[node + 1] - first[node];
            if (siblings > 1) {
                Integer[] sorted = new Integer[siblings];
                int from = first[node];
                Arrays.setAll(sorted, i -> children[from + i]);
                Arrays.sort(sorted, order);
                for (int i = 0; i < siblings; i++) {
                    children[from + i] = sorted[i];
                }
            }
        }
        return children;
    }

    private Comparator<Integer> siblings() {
        return Comparator.<Integer>comparingLong(node -> totals[node]).reversed()
                .thenComparing(node -> name(node).label())
                .thenComparing(node -> name(node).kind())
                .thenComparing(node -> name(node).detail());
    }

    private FrameName name(int node) {
        return names.get(nodes.second(node));
    }
}
