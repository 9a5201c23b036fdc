package mayfly.report.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import mayfly.report.ConversionOptions;

/**
 * Adds samples up. Every stack of the profile becomes an entry once for each prefix (thread, outcome) it occurs
 * with, and every entry belongs to a node; so the work grows with the distinct stacks, not with samples times depth.
 */
final class TreeBuilder {
    /** What a hostile capture can make of a few bytes is bounded; a real one has some hundred thousand. */
    private static final int MAX_ENTRIES = 1 << 23;
    /** Sums stay exact in a double, as the page computes them. */
    private static final long MAX_TOTAL = 1L << 53;

    private final Profile profile;
    private final ConversionOptions options;
    private final Weight weight;
    private final List<FrameName> names = new ArrayList<>();
    private final Map<FrameName, Integer> nameIds = new HashMap<>();
    private final int[] nameOfFrame;
    private final Kind[] kindOfFrame;
    private final boolean[] wanted;

    private final PairTable prefixes = new PairTable();
    private final List<Integer> prefixNodes = new ArrayList<>();
    private final PairTable entryIds = new PairTable();
    private final Column entryParents = new Column();
    private final Column entryNodes = new Column();
    private final Column entryFrames = new Column();
    private final Column pending = new Column();

    private final PairTable children = new PairTable();
    private final Column parents = new Column();
    private final Column nodeNames = new Column();
    private final long[] leafKinds = new long[Kind.values().length];
    private long[] entryWeights = new long[1 << 10];
    private long[] selves = new long[1 << 10];
    private long sum;
    private long leftOut;

    TreeBuilder(Profile profile, ConversionOptions options) {
        this.profile = profile;
        this.options = options;
        weight = Weight.of(profile);
        node(-1, new FrameName("all", "", Kind.THREAD));
        int count = profile.frames().size();
        nameOfFrame = new int[count];
        kindOfFrame = new Kind[count];
        for (int i = 0; i < count; i++) {
            FrameName name = FrameName.of(profile.frames().get(i), options);
            nameOfFrame[i] = nameId(name.merged());
            kindOfFrame[i] = name.kind();
        }
        wanted = ShownStacks.wantedStacks(profile, options.runtime());
    }

    void addSamples() {
        for (int sample = 0; sample < profile.sampleCount(); sample++) {
            int stack = profile.stackOf(sample);
            if (!wanted[stack]) {
                leftOut++;
                continue;
            }
            long amount = Math.min(weight.of(profile, sample), MAX_TOTAL - sum);
            sum += amount;
            int prefix = prefix(profile.threadOf(sample), profile.outcomeOf(sample));
            addSample(prefix, stack, amount);
        }
    }

    private void addSample(int prefix, int stack, long amount) {
        int base = prefixNodes.get(prefix);
        int node;
        if (stack == 0) {
            node = base == 0 ? node(0, new FrameName("[no frames]", "", Kind.BROKEN)) : base;
            leafKinds[Kind.BROKEN.ordinal()] += amount;
        } else {
            int entry = entry(prefix, stack);
            if (entry < 0) {
                node = node(0, new FrameName("[too many stacks]", "", Kind.BROKEN));
                leafKinds[Kind.BROKEN.ordinal()] += amount;
            } else {
                entryWeights = withRoom(entryWeights, entry);
                entryWeights[entry] += amount;
                leafKinds[kindOfFrame[entryFrames.get(entry)].ordinal()] += amount;
                node = entryNodes.get(entry);
                if (node == base && !options.natives()) {
                    node = node(base, new FrameName("[native]", "", Kind.NATIVE));
                }
            }
        }
        selves = withRoom(selves, node);
        selves[node] += amount;
    }

    /** The node below which a thread's stacks of one outcome hang. */
    private int prefix(int thread, WalkOutcome outcome) {
        int threadName = options.threads()
                ? nameId(new FrameName(profile.threads().get(thread).name(), "", Kind.THREAD)) : -1;
        int known = prefixes.get(threadName, outcome.ordinal());
        if (known >= 0) {
            return known;
        }
        int at = options.threads() ? child(0, threadName) : 0;
        String missing = FrameName.missing(outcome);
        if (!missing.isEmpty()) {
            at = node(at, new FrameName(missing, "", Kind.BROKEN));
        }
        int number = prefixNodes.size();
        prefixNodes.add(at);
        prefixes.put(threadName, outcome.ordinal(), number);
        return number;
    }

    private int entry(int prefix, int stack) {
        pending.clear();
        int known = -1;
        int at = stack;
        while (at != 0 && (known = entryIds.get(prefix, at)) < 0) {
            pending.add(at);
            at = profile.parentOf(at);
        }
        if (entryParents.size() + pending.size() > MAX_ENTRIES) {
            return -1;
        }
        int node = at == 0 ? prefixNodes.get(prefix) : entryNodes.get(known);
        int parent = at == 0 ? -1 : known;
        for (int i = pending.size() - 1; i >= 0; i--) {
            int frame = profile.frameOf(pending.get(i));
            if (options.natives() || kindOfFrame[frame].isJava()) {
                node = child(node, nameOfFrame[frame]);
            }
            int id = entryParents.size();
            entryParents.add(parent);
            entryNodes.add(node);
            entryFrames.add(frame);
            entryIds.put(prefix, pending.get(i), id);
            parent = id;
        }
        return parent;
    }

    private int nameId(FrameName name) {
        return nameIds.computeIfAbsent(name, fresh -> {
            names.add(fresh);
            return names.size() - 1;
        });
    }

    private int node(int parent, FrameName name) {
        return child(parent, nameId(name));
    }

    private int child(int parent, int name) {
        int known = children.get(parent, name);
        if (known >= 0) {
            return known;
        }
        int node = parents.size();
        parents.add(parent);
        nodeNames.add(name);
        children.put(parent, name, node);
        return node;
    }

    CallTree build() {
        int count = parents.size();
        long[] self = Arrays.copyOf(selves, count);
        long[] total = self.clone();
        for (int node = count - 1; node > 0; node--) {
            total[parents.get(node)] += total[node];
        }
        return new PreOrder(parents, nodeNames, names, self, total, mixes(count)).tree(weight, leafKinds, leftOut);
    }

    /** Weight of each node by how it was executed: an entry's weight and that of the entries above it. */
    private long[][] mixes(int nodes) {
        long[][] mixes = new long[nodes][];
        long[] totals = Arrays.copyOf(entryWeights, entryParents.size());
        for (int entry = totals.length - 1; entry >= 0; entry--) {
            int parent = entryParents.get(entry);
            if (parent >= 0) {
                totals[parent] += totals[entry];
            }
            Kind kind = kindOfFrame[entryFrames.get(entry)];
            if (kind.isJava()) {
                int node = entryNodes.get(entry);
                if (mixes[node] == null) {
                    mixes[node] = new long[CallTree.JAVA_KINDS];
                }
                mixes[node][kind.ordinal()] += totals[entry];
            }
        }
        return mixes;
    }

    private static long[] withRoom(long[] items, int index) {
        return index < items.length ? items : Arrays.copyOf(items, Math.max(index + 1, items.length * 2));
    }
}
