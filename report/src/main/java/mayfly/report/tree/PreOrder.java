package mayfly.report.tree;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import mayfly.profile.column.LongColumn;
import mayfly.profile.column.PairTable;

/**
 * The pre-order of the nodes of a tree: heaviest child first, children of equal weight in the order of their names.
 *
 * @param nodes the tree's nodes in that order
 * @param depths the depth of each node, by its position in the order
 */
record PreOrder(int[] nodes, char[] depths) {
    /** Upper bound on the number of siblings that are sorted by insertion. Most nodes have fewer children. */
    private static final int FEW = 12;

    /**
     * Orders the nodes.
     *
     * @param pairs pairs of a node's parent, which precedes it, and its name; node 0 is the root
     */
    static PreOrder of(PairTable pairs, List<FrameName> names, LongColumn totals) {
        int count = pairs.size();
        // The children of a node begin at the index begin[node] and end at begin[node + 1].
        int[] begin = new int[count + 1];
        for (int node = 1; node < count; node++) {
            begin[pairs.first(node)]++;
        }
        for (int node = 1; node <= count; node++) {
            begin[node] += begin[node - 1];
        }
        int[] children = new int[Math.max(0, count - 1)];
        for (int node = count - 1; node > 0; node--) {
            children[--begin[pairs.first(node)]] = node;
        }
        Comparator<Integer> order = siblings(pairs, names, totals);
        for (int node = 0; node < count; node++) {
            sort(children, begin[node], begin[node + 1], order);
        }
        return walk(count, begin, children);
    }

    /** Traverses the tree with an explicit stack, because trees are deep. */
    private static PreOrder walk(int count, int[] begin, int[] children) {
        int[] order = new int[count];
        char[] depths = new char[count];
        int[] pending = new int[1 << 10];
        int[] pendingDepths = new int[1 << 10];
        int top = 1;
        int done = 0;
        while (top > 0) {
            int node = pending[--top];
            int depth = pendingDepths[top];
            order[done] = node;
            depths[done++] = (char) Math.min(depth, Character.MAX_VALUE);
            int needed = top + begin[node + 1] - begin[node];
            if (needed > pending.length) {
                pending = Arrays.copyOf(pending, needed * 2);
                pendingDepths = Arrays.copyOf(pendingDepths, needed * 2);
            }
            for (int i = begin[node + 1] - 1; i >= begin[node]; i--) {
                pending[top] = children[i];
                pendingDepths[top++] = depth + 1;
            }
        }
        return new PreOrder(order, depths);
    }

    private static void sort(int[] nodes, int from, int to, Comparator<Integer> order) {
        if (to - from > FEW) {
            Integer[] sorted = new Integer[to - from];
            Arrays.setAll(sorted, i -> nodes[from + i]);
            Arrays.sort(sorted, order);
            for (int i = 0; i < sorted.length; i++) {
                nodes[from + i] = sorted[i];
            }
            return;
        }
        for (int i = from + 1; i < to; i++) {
            int node = nodes[i];
            int at = i;
            while (at > from && order.compare(nodes[at - 1], node) > 0) {
                nodes[at] = nodes[--at];
            }
            nodes[at] = node;
        }
    }

    private static Comparator<Integer> siblings(PairTable pairs, List<FrameName> names, LongColumn totals) {
        return (one, other) -> {
            int byWeight = Long.compare(totals.get(other), totals.get(one));
            if (byWeight != 0) {
                return byWeight;
            }
            return BY_NAME.compare(names.get(pairs.second(one)), names.get(pairs.second(other)));
        };
    }

    private static final Comparator<FrameName> BY_NAME = Comparator.comparing(FrameName::label)
            .thenComparing(name -> name.kind().colour())
            .thenComparing(FrameName::detail);
}
