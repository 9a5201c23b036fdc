package mayfly.report.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import mayfly.profile.column.IntColumn;
import mayfly.profile.column.LongColumn;
import mayfly.profile.column.PairTable;

/**
 * Builds a call tree from samples. The stacks of each prefix, which is a thread and an outcome, are added separately:
 * for the current prefix, each stack of the profile that occurs has one node. The work is therefore proportional to the
 * number of distinct stacks, not to samples times depth.
 */
final class TreeBuilder {
    /**
     * Upper bound on the stacks of all prefixes, because a small hostile capture can contain many. A large capture with
     * a million stacks has ten million in all prefixes.
     */
    private static final int MAX_STACKS = 1 << 25;
    /** Upper bound on the total weight, so that sums are exact in a double, which the page uses. */
    private static final long MAX_TOTAL = 1L << 53;

    private static final int NO_PREFIX = -1;

    private final Profile profile;
    private final ConversionOptions options;
    private final Weight weight;
    private final List<FrameName> names = new ArrayList<>();
    private final Map<FrameName, Integer> nameIds = new HashMap<>();
    private final int[] nameOfFrame;
    private final Kinds kinds;
    /** The number of each frame's kind in {@link #kinds}. */
    private final int[] kindOfFrame;

    private final PairTable prefixes = new PairTable();
    private final IntColumn prefixNodes = new IntColumn();

    /**
     * The node plus 1 of each stack that occurs in the current prefix, otherwise 0. {@link #weightOfStack} has the
     * weight of its samples.
     */
    private int[] nodeOfStack;

    private long[] weightOfStack;
    /** The stacks that occur in the current prefix, callers first. */
    private final IntColumn occurring = new IntColumn();

    private final IntColumn pending = new IntColumn();
    private int stacksSoFar;

    /** Pairs of a node's parent and its name. */
    private final PairTable nodes = new PairTable();

    private final long[] leafKinds;
    private final Mixes mixes;
    private final LongColumn selves = new LongColumn();
    private long sum;
    private long leftOut;

    TreeBuilder(Profile profile, ConversionOptions options) {
        this.profile = profile;
        this.options = options;
        weight = Weight.of(profile);
        node(-1, new FrameName("all", "", Kind.THREAD));
        int count = profile.frames().size();
        nameOfFrame = new int[count];
        kindOfFrame = new int[count];
        var kindsOfFrames = new ArrayList<Kind>(count);
        for (int i = 0; i < count; i++) {
            FrameName name = FrameName.of(profile.frames().get(i), options);
            nameOfFrame[i] = nameId(name.merged());
            kindsOfFrames.add(name.kind());
        }
        kinds = new Kinds(kindsOfFrames);
        Arrays.setAll(kindOfFrame, i -> kinds.numberOf(kindsOfFrames.get(i)));
        leafKinds = new long[kinds.all().size()];
        mixes = new Mixes(kinds.managed());
        nodeOfStack = new int[profile.stackCount()];
        weightOfStack = new long[profile.stackCount()];
    }

    void addSamples() {
        int[] prefixOf = prefixes();
        int[] ends = new int[prefixNodes.size() + 1];
        int[] samples = byPrefix(prefixOf, ends);
        for (int prefix = 0; prefix < prefixNodes.size(); prefix++) {
            for (int i = ends[prefix]; i < ends[prefix + 1]; i++) {
                long amount = Math.min(weight.of(profile, samples[i]), MAX_TOTAL - sum);
                sum += amount;
                addSample(prefixNodes.get(prefix), profile.stackOf(samples[i]), amount);
            }
            addMixes();
        }
    }

    /** Returns the prefix of each sample, {@link #NO_PREFIX} for samples excluded by the options. */
    private int[] prefixes() {
        boolean[] wanted = ShownStacks.wantedStacks(profile, options.runtime());
        int[] prefixOf = new int[profile.sampleCount()];
        for (int sample = 0; sample < prefixOf.length; sample++) {
            if (wanted[profile.stackOf(sample)]) {
                prefixOf[sample] = prefix(profile.threadOf(sample), profile.outcomeOf(sample));
            } else {
                prefixOf[sample] = NO_PREFIX;
                leftOut += profile.countOf(sample);
            }
        }
        return prefixOf;
    }

    /**
     * Returns the samples in the order of their prefixes.
     *
     * @param ends receives the range of each prefix's samples: from the value at the index of the prefix to the value
     *     at the next index
     */
    private static int[] byPrefix(int[] prefixOf, int[] ends) {
        for (int prefix : prefixOf) {
            if (prefix != NO_PREFIX) {
                ends[prefix + 1]++;
            }
        }
        for (int i = 1; i < ends.length; i++) {
            ends[i] += ends[i - 1];
        }
        int[] next = ends.clone();
        int[] samples = new int[ends[ends.length - 1]];
        for (int sample = 0; sample < prefixOf.length; sample++) {
            if (prefixOf[sample] != NO_PREFIX) {
                samples[next[prefixOf[sample]]++] = sample;
            }
        }
        return samples;
    }

    private void addSample(int base, int stack, long amount) {
        int node;
        int leaf = kinds.numberOf(Kind.BROKEN);
        if (stack == 0) {
            node = base == 0 ? node(0, new FrameName("[no frames]", "", Kind.BROKEN)) : base;
        } else if (!reach(base, stack)) {
            node = node(0, new FrameName("[too many stacks]", "", Kind.BROKEN));
        } else {
            weightOfStack[stack] += amount;
            leaf = kindOfFrame[profile.frameOf(stack)];
            node = nodeOfStack[stack] - 1;
            if (node == base && !options.natives()) {
                node = node(base, new FrameName("[native]", "", Kind.NATIVE));
            }
        }
        leafKinds[leaf] += amount;
        growSelves(node + 1);
        selves.increase(node, amount);
    }

    private void growSelves(int size) {
        while (selves.size() < size) {
            selves.add(0);
        }
    }

    /** Returns the number of the prefix node above a thread's stacks of one outcome. */
    private int prefix(int thread, WalkOutcome outcome) {
        int threadName = options.threads()
                ? nameId(new FrameName(profile.threads().get(thread).name(), "", Kind.THREAD))
                : -1;
        int prefix = prefixes.number(threadName, outcome.ordinal());
        if (prefix == prefixNodes.size()) {
            int at = options.threads() ? nodes.number(0, threadName) : 0;
            String missing = FrameName.missing(outcome);
            prefixNodes.add(missing.isEmpty() ? at : node(at, new FrameName(missing, "", Kind.BROKEN)));
        }
        return prefix;
    }

    /** Finds the nodes of a stack and its callers. Returns false if there are too many stacks already. */
    private boolean reach(int base, int stack) {
        pending.clear();
        int at = stack;
        while (at != 0 && nodeOfStack[at] == 0) {
            pending.add(at);
            at = profile.parentOf(at);
        }
        stacksSoFar += pending.size();
        if (stacksSoFar > MAX_STACKS) {
            stacksSoFar -= pending.size();
            return false;
        }
        int node = at == 0 ? base : nodeOfStack[at] - 1;
        for (int i = pending.size() - 1; i >= 0; i--) {
            int reached = pending.get(i);
            int frame = profile.frameOf(reached);
            Kind kind = kinds.get(kindOfFrame[frame]);
            if (options.natives() || kind.isManaged() || kind.equals(Kind.BROKEN)) {
                node = nodes.number(node, nameOfFrame[frame]);
            }
            nodeOfStack[reached] = node + 1;
            occurring.add(reached);
        }
        return true;
    }

    /** Sums up the kinds of execution for the nodes of the current prefix, and clears its stacks. */
    private void addMixes() {
        for (int i = occurring.size() - 1; i >= 0; i--) {
            int stack = occurring.get(i);
            weightOfStack[profile.parentOf(stack)] += weightOfStack[stack];
            int kind = kindOfFrame[profile.frameOf(stack)];
            if (kinds.get(kind).isManaged()) {
                mixes.add(nodeOfStack[stack] - 1, kind, weightOfStack[stack]);
            }
            nodeOfStack[stack] = 0;
            weightOfStack[stack] = 0;
        }
        occurring.clear();
    }

    private int nameId(FrameName name) {
        return nameIds.computeIfAbsent(name, fresh -> {
            names.add(fresh);
            return names.size() - 1;
        });
    }

    private int node(int parent, FrameName name) {
        return nodes.number(parent, nameId(name));
    }

    /** Returns the tree. The builder must not be used afterwards. */
    CallTree build() {
        nodeOfStack = new int[0];
        weightOfStack = new long[0];
        nodes.seal();
        int count = nodes.size();
        growSelves(count);
        var totals = new LongColumn(count);
        for (int node = count - 1; node >= 0; node--) {
            totals.increase(node, selves.get(node));
            if (node > 0) {
                totals.increase(nodes.first(node), totals.get(node));
            }
        }
        return new CallTree(
                weight,
                names,
                nodes,
                PreOrder.of(nodes, names, totals),
                selves,
                totals,
                kinds,
                mixes,
                leafKinds,
                leftOut);
    }
}
