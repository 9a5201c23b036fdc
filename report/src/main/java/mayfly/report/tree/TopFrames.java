package mayfly.report.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** Frames merged by name, regardless of their callers. */
public final class TopFrames {
    /**
     * The frames of one name.
     *
     * @param label the name, before escaping
     * @param self the weight of the samples that end in it
     * @param total the weight of the samples that contain it, each counted once
     */
    public record Row(String label, long self, long total) {}

    /** Returns the names with the most self time, in descending order. */
    public static List<Row> bySelf(CallTree tree, int limit) {
        return bySelf(tree, limit, kind -> !kind.equals(Kind.THREAD));
    }

    /** Returns the same for names of some kinds only. */
    public static List<Row> bySelf(CallTree tree, int limit, Predicate<Kind> wanted) {
        int names = tree.names().size();
        long[] selves = new long[names];
        long[] totals = new long[names];
        int[] open = new int[names];
        int[] path = new int[64];
        int depth = 0;
        for (int node = 1; node < tree.size(); node++) {
            while (depth >= tree.depthOf(node)) {
                open[path[depth--]]--;
            }
            depth = tree.depthOf(node);
            if (depth >= path.length) {
                path = Arrays.copyOf(path, depth * 2);
            }
            int name = tree.nameIdOf(node);
            path[depth] = name;
            selves[name] += tree.selfOf(node);
            if (open[name]++ == 0) {
                totals[name] += tree.totalOf(node);
            }
        }
        var rows = new ArrayList<Row>();
        for (int name = 0; name < names; name++) {
            if (totals[name] > 0 && wanted.test(tree.names().get(name).kind())) {
                rows.add(new Row(tree.names().get(name).label(), selves[name], totals[name]));
            }
        }
        rows.sort(Comparator.comparingLong(Row::self)
                .reversed()
                .thenComparing(Comparator.comparingLong(Row::total).reversed())
                .thenComparing(Row::label));
        return List.copyOf(rows.subList(0, Math.min(limit, rows.size())));
    }

    private TopFrames() {}
}
