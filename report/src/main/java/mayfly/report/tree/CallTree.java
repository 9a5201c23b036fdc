package mayfly.report.tree;

import java.util.List;
import mayfly.profile.Profile;
import mayfly.profile.column.LongColumn;
import mayfly.profile.column.PairTable;

/**
 * All samples as one tree. The nodes are in pre-order, with the heaviest child first, and children of equal weight in
 * the order of their names, so that the first path is the hottest. Node 0 is the root and contains all samples.
 */
public final class CallTree {
    private final Weight weight;
    private final List<FrameName> names;
    /**
     * Pairs of a node's parent and its name. Nodes are numbered in the order in which the builder added them, not in
     * pre-order.
     */
    private final PairTable built;

    private final PreOrder order;
    private final LongColumn selves;
    private final LongColumn totals;
    private final Kinds kinds;
    private final int[] kindsOfNames;
    private final Mixes mixes;
    private final long[] leafKinds;
    private final long leftOut;

    CallTree(
            Weight weight,
            List<FrameName> names,
            PairTable built,
            PreOrder order,
            LongColumn selves,
            LongColumn totals,
            Kinds kinds,
            Mixes mixes,
            long[] leafKinds,
            long leftOut) {
        this.weight = weight;
        this.names = List.copyOf(names);
        this.built = built;
        this.order = order;
        this.selves = selves;
        this.totals = totals;
        this.kinds = kinds;
        kindsOfNames =
                names.stream().mapToInt(name -> kinds.numberOf(name.kind())).toArray();
        this.mixes = mixes;
        this.leafKinds = leafKinds;
        this.leftOut = leftOut;
    }

    /** Builds the tree of the samples that the options include. */
    public static CallTree of(Profile profile, ConversionOptions options) {
        var builder = new TreeBuilder(profile, options);
        builder.addSamples();
        return builder.build();
    }

    /** Returns the meaning of the weights. */
    public Weight weight() {
        return weight;
    }

    /** Returns the distinct frame names of the tree. */
    public List<FrameName> names() {
        return names;
    }

    /** Returns the number of nodes, at least 1. */
    public int size() {
        return order.nodes().length;
    }

    /** Returns the depth of a node; 0 for the root. */
    public int depthOf(int node) {
        return order.depths()[node];
    }

    /** Returns the index of a node's name in {@link #names}. */
    public int nameIdOf(int node) {
        return built.second(builtAs(node));
    }

    public FrameName nameOf(int node) {
        return names.get(nameIdOf(node));
    }

    /** Returns the kinds that frames of the tree can have, in the order of the legend: the kinds of methods first. */
    public List<Kind> kinds() {
        return kinds.all();
    }

    /** Returns the kind of execution with the largest share of the node's weight, as its index in {@link #kinds}. */
    public int kindIdOf(int node) {
        int number = builtAs(node);
        int kind = mixes.kindOf(number, totals.get(number));
        return kind < 0 ? kindsOfNames[built.second(number)] : kind;
    }

    /** Returns the kind of execution with the largest share of the node's weight. */
    public Kind kindOf(int node) {
        return kinds.get(kindIdOf(node));
    }

    /** Returns the weight of the samples that end at a node. */
    public long selfOf(int node) {
        return selves.get(builtAs(node));
    }

    /** Returns the weight of the samples that end at or below a node. */
    public long totalOf(int node) {
        return totals.get(builtAs(node));
    }

    /** Returns the weight of all samples in the tree. */
    public long total() {
        return totals.get(0);
    }

    /**
     * Returns the weight by kind of execution, an element for each kind of method in {@link #kinds}; empty if there is
     * only one kind.
     */
    public long[] mixOf(int node) {
        int number = builtAs(node);
        return mixes.mixOf(number, totals.get(number));
    }

    /** Returns true if {@link #mixOf} is not empty. */
    public boolean isMixed(int node) {
        return mixes.isMixed(builtAs(node));
    }

    private int builtAs(int node) {
        return order.nodes()[node];
    }

    /** Returns the weight of the samples whose leaf is of this kind. */
    public long leafWeight(Kind kind) {
        return leafKinds[kinds.numberOf(kind)];
    }

    /** Returns the number of samples excluded by the options: those without a frame of the requested runtime. */
    public long leftOut() {
        return leftOut;
    }
}
