package mayfly.report.tree;

import java.util.Arrays;
import mayfly.profile.column.LongColumn;
import mayfly.profile.column.PairTable;
import org.jspecify.annotations.Nullable;

/**
 * The weight of each node by kind of execution. Nearly all nodes have a single kind, so only the weights of a node's
 * other kinds are stored. The rest of the node's weight belongs to its first kind.
 */
final class Mixes {
    private static final Kind[] KINDS = Kind.values();
    private static final long[] NO_MIX = {};
    /** Flag in a node's byte: the node has several kinds. */
    private static final int MIXED = 0x40;

    /** The ordinal of a node's first kind plus 1, 0 if it has none; with the flag {@link #MIXED} if it has several. */
    private byte[] kinds = new byte[1 << 10];
    /** Pairs of a node and one of its other kinds. */
    private final PairTable further = new PairTable();
    private final LongColumn weights = new LongColumn();

    void add(int node, Kind kind, long weight) {
        if (weight == 0) {
            return;
        }
        if (node >= kinds.length) {
            kinds = Arrays.copyOf(kinds, Math.max(node + 1, kinds.length / 2 * 3));
        }
        if (kinds[node] == 0) {
            kinds[node] = (byte) (kind.ordinal() + 1);
        } else if (first(node) != kind.ordinal()) {
            kinds[node] |= MIXED;
            int at = further.number(node, kind.ordinal());
            if (at == weights.size()) {
                weights.add(0);
            }
            weights.increase(at, weight);
        }
    }

    private int first(int node) {
        return (kinds[node] & ~MIXED) - 1;
    }

    /**
     * Returns the kind with the largest share of the node's total weight; null for a node that is not a Java method.
     */
    @Nullable Kind kindOf(int node, long total) {
        if (node >= kinds.length || kinds[node] == 0) {
            return null;
        }
        if ((kinds[node] & MIXED) == 0) {
            return KINDS[first(node)];
        }
        long[] mix = mixOf(node, total);
        int most = 0;
        for (int i = 1; i < mix.length; i++) {
            if (mix[i] > mix[most]) {
                most = i;
            }
        }
        return KINDS[most];
    }

    boolean isMixed(int node) {
        return node < kinds.length && (kinds[node] & MIXED) != 0;
    }

    /** Returns the node's weight by kind, {@link CallTree#JAVA_KINDS} elements; empty if there is at most one kind. */
    long[] mixOf(int node, long total) {
        if (!isMixed(node)) {
            return NO_MIX;
        }
        long[] mix = new long[CallTree.JAVA_KINDS];
        long rest = total;
        for (int kind = 0; kind < mix.length; kind++) {
            int at = further.find(node, kind);
            if (at >= 0) {
                mix[kind] = weights.get(at);
                rest -= mix[kind];
            }
        }
        mix[first(node)] += rest;
        return mix;
    }
}
