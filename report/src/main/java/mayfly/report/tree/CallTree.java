package mayfly.report.tree;

import java.util.List;
import mayfly.profile.Profile;
import mayfly.report.ConversionOptions;

/**
 * All samples as one tree, in pre-order, the heaviest child first and equals by name: the first path is the hottest.
 * Node 0 is the root, which stands for everything.
 */
public final class CallTree {
    /** How many kinds of execution a Java method can have. */
    public static final int JAVA_KINDS = Kind.NATIVE_METHOD.ordinal() + 1;

    private final Weight weight;
    private final List<FrameName> names;
    private final int[] depths;
    private final int[] nodeNames;
    private final Kind[] kinds;
    private final long[] selves;
    private final long[] totals;
    /** For each node, weight by kind of execution; empty for what is no Java method or always executed in one way. */
    private final long[][] mixes;
    private final long[] leafKinds;
    private final long leftOut;

    CallTree(Weight weight, List<FrameName> names, int[] depths, int[] nodeNames, Kind[] kinds, long[] selves,
            long[] totals, long[][] mixes, long[] leafKinds, long leftOut) {
        this.weight = weight;
        this.names = List.copyOf(names);
        this.depths = depths;
        this.nodeNames = nodeNames;
        this.kinds = kinds;
        this.selves = selves;
        this.totals = totals;
        this.mixes = mixes;
        this.leafKinds = leafKinds;
        this.leftOut = leftOut;
    }

    public static CallTree of(Profile profile, ConversionOptions options) {
        var builder = new TreeBuilder(profile, options);
        builder.addSamples();
        return builder.build();
    }

    public Weight weight() {
        return weight;
    }

    public List<FrameName> names() {
        return names;
    }

    /** Number of nodes, at least 1. */
    public int size() {
        return depths.length;
    }

    /** 0 for the root. */
    public int depthOf(int node) {
        return depths[node];
    }

    /** Index into {@link #names}. */
    public int nameIdOf(int node) {
        return nodeNames[node];
    }

    public FrameName nameOf(int node) {
        return names.get(nodeNames[node]);
    }

    /** How the node was executed for the most part. */
    public Kind kindOf(int node) {
        return kinds[node];
    }

    /** Weight of the samples that end here. */
    public long selfOf(int node) {
        return selves[node];
    }

    /** Weight of the samples that pass or end here. */
    public long totalOf(int node) {
        return totals[node];
    }

    public long total() {
        return totals[0];
    }

    /** Weight by kind of execution, {@link #JAVA_KINDS} of them; empty if there is only one kind. */
    public long[] mixOf(int node) {
        return mixes[node];
    }

    /** Weight of the samples whose leaf is of this kind. */
    public long leafWeight(Kind kind) {
        return leafKinds[kind.ordinal()];
    }

    /** Samples that the options left out: those without a frame of the runtime asked for. */
    public long leftOut() {
        return leftOut;
    }
}
