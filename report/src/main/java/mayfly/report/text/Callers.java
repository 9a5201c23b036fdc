package mayfly.report.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import mayfly.report.tree.CallTree;

/** The callers of a frame, their callers, and so on, with the share of the frame's self time that came through each. */
final class Callers {
    private static final int MAX_LEVELS = 8;
    private static final int MAX_AT_A_LEVEL = 4;
    /** Lower bound on the share of the frame's time for which a caller is shown. */
    private static final double LEAST = 0.05;

    private final CallTree tree;
    private final int[] parents;

    /** A node on the path, and the part of the frame's self time that passed through it. */
    private record Passed(int node, long weight) {}

    /** The nodes of all callers with the same name, and the weight that passed through them. */
    private static final class Caller {
        private final String label;
        private final List<Passed> nodes = new ArrayList<>();
        private long weight;

        Caller(String label) {
            this.label = label;
        }
    }

    Callers(CallTree tree) {
        this.tree = tree;
        parents = new int[tree.size()];
        int[] path = new int[64];
        for (int node = 1; node < tree.size(); node++) {
            int depth = tree.depthOf(node);
            if (depth >= path.length) {
                path = java.util.Arrays.copyOf(path, depth * 2);
            }
            path[depth] = node;
            parents[node] = path[depth - 1];
        }
    }

    /** Returns the lines for the frame of this name, heaviest caller first. */
    List<String> lines(String label, int width) {
        var nodes = new ArrayList<Passed>();
        for (int node = 1; node < tree.size(); node++) {
            if (tree.selfOf(node) > 0 && tree.nameOf(node).label().equals(label)) {
                nodes.add(new Passed(node, tree.selfOf(node)));
            }
        }
        long whole = nodes.stream().mapToLong(Passed::weight).sum();
        var lines = new ArrayList<String>();
        if (whole > 0) {
            add(nodes, whole, 0, width, lines);
        }
        return lines;
    }

    private void add(List<Passed> callees, long whole, int level, int width, List<String> lines) {
        if (level == MAX_LEVELS) {
            return;
        }
        int shown = 0;
        for (Caller caller : callersOf(callees)) {
            if (shown++ == MAX_AT_A_LEVEL || caller.weight < LEAST * whole) {
                return;
            }
            String indent = "  ".repeat(level);
            lines.add(Columns.percent(caller.weight, whole) + "  " + indent
                    + Columns.fit(caller.label, Math.max(20, width - 9 - indent.length())));
            add(caller.nodes, whole, level + 1, width, lines);
        }
    }

    private List<Caller> callersOf(List<Passed> callees) {
        Map<Integer, Caller> byName = new LinkedHashMap<>();
        for (Passed callee : callees) {
            int node = parents[callee.node];
            if (node != 0) {
                Caller caller = byName.computeIfAbsent(
                        tree.nameIdOf(node),
                        name -> new Caller(tree.nameOf(node).label()));
                caller.nodes.add(new Passed(node, callee.weight));
                caller.weight += callee.weight;
            }
        }
        return byName.values().stream()
                .sorted(Comparator.comparingLong((Caller caller) -> caller.weight)
                        .reversed()
                        .thenComparing(caller -> caller.label))
                .toList();
    }
}
