package mayfly.report.text;

import java.util.ArrayList;
import java.util.List;
import mayfly.profile.Profile;
import mayfly.report.tree.CallTree;
import mayfly.report.tree.ConversionOptions;
import mayfly.report.tree.Kind;
import mayfly.report.tree.TopFrames;

/**
 * A summary of the profile in a few lines of text.
 *
 * @param total the weight of all samples
 * @param top the frames with the most self time
 * @param path the hottest path, root first: from each frame to its heaviest callee, while the callee has at least two
 *     fifths of the frame's weight or a tenth of the total
 * @param outsideJava the weight of samples without a Java method, if {@code top} and {@code path} contain only Java
 *     methods; otherwise 0
 */
public record HottestPaths(long total, List<TopFrames.Row> top, List<Step> path, long outsideJava) {
    /** Attributes native time to the calling Java method. */
    private static final ConversionOptions JAVA_ONLY = new ConversionOptions(false, false, false, false, null);
    /** The share of its caller's weight at which a callee continues the path. */
    private static final double FORK = 0.4;
    /** The share of the total at which a callee continues the path, even below {@link #FORK}. */
    private static final double LARGE = 0.1;
    /** Upper bound on the shown steps, which are the last ones of the path. */
    private static final int STEPS_SHOWN = 12;

    private static final int MIN_COLUMNS = 40;
    /** The width of the columns before a name, in the table and in the path. */
    private static final int SHARES = 17;

    private static final int SHARE = 9;
    private static final String OUTSIDE = "outside Java methods";
    private static final String OUTSIDE_AT_LENGTH =
            OUTSIDE + ": the JVM itself, such as its compilers and garbage collector";

    /** A frame of the hottest path, with the weight that passes through it. */
    public record Step(String label, long total) {}

    public HottestPaths {
        top = List.copyOf(top);
        path = List.copyOf(path);
    }

    public static HottestPaths of(Profile profile, ConversionOptions options, int limit) {
        return of(CallTree.of(profile, options), limit);
    }

    /** Returns the summary of a tree. */
    public static HottestPaths of(CallTree tree, int limit) {
        return new HottestPaths(tree.total(), TopFrames.bySelf(tree, limit), path(tree, 1), 0);
    }

    /**
     * Returns a summary of Java methods, including the native and VM time that they caused. The weight of all other
     * samples is {@code outsideJava}.
     */
    public static HottestPaths inJava(Profile profile, int limit) {
        CallTree tree = CallTree.of(profile, JAVA_ONLY);
        int root = 0;
        long outside = 0;
        for (int node = 1; node < tree.size(); node++) {
            if (tree.depthOf(node) > 1) {
                continue;
            }
            if (!tree.kindOf(node).isManaged()) {
                outside += tree.selfOf(node);
            } else if (root == 0) {
                root = node;
            }
        }
        return new HottestPaths(
                tree.total(),
                TopFrames.bySelf(tree, limit, Kind::isManaged),
                root == 0 ? List.of() : path(tree, root),
                outside);
    }

    /**
     * Finds the path. In pre-order with the heaviest child first, a node's heaviest child is the next node, if it is
     * deeper.
     */
    private static List<Step> path(CallTree tree, int first) {
        var steps = new ArrayList<Step>();
        for (int node = first; node < tree.size(); node++) {
            boolean child = node == first || tree.depthOf(node) == tree.depthOf(node - 1) + 1;
            if (!child
                    || node > first
                            && tree.totalOf(node) < Math.min(FORK * tree.totalOf(node - 1), LARGE * tree.total())) {
                break;
            }
            steps.add(new Step(tree.nameOf(node).label(), tree.totalOf(node)));
        }
        return steps;
    }

    /** Returns the lines for a terminal of the given width, without line ends; empty if there is nothing to show. */
    public List<String> lines(int width) {
        var lines = new ArrayList<String>();
        if (total == 0) {
            return lines;
        }
        int room = Math.max(width, MIN_COLUMNS);
        lines.add("   self   total  frame");
        for (TopFrames.Row row : top) {
            if (row.self() > 0) {
                lines.add(percent(row.self()) + " " + percent(row.total()) + "  "
                        + Columns.fit(row.label(), room - SHARES));
            }
        }
        if (outsideJava > 0) {
            lines.add(percent(outsideJava)
                    + " ".repeat(SHARES - SHARE + 1)
                    + (OUTSIDE_AT_LENGTH.length() <= room - SHARES ? OUTSIDE_AT_LENGTH : OUTSIDE));
        }
        if (path.isEmpty()) {
            return lines;
        }
        lines.add("");
        lines.add("hottest path");
        int first = Math.max(0, path.size() - STEPS_SHOWN);
        if (first > 0) {
            lines.add("         … " + first + (first == 1 ? " caller" : " callers") + " above");
        }
        for (Step step : path.subList(first, path.size())) {
            lines.add(percent(step.total()) + "  " + Columns.fit(step.label(), room - SHARE));
        }
        return lines;
    }

    private String percent(long part) {
        return Columns.percent(part, total);
    }
}
