package mayfly.report.tree;

import java.util.Arrays;
import mayfly.profile.column.LongColumn;
import mayfly.profile.column.PairTable;

/**
 * The weight of each node by kind of execution. Nearly all nodes have a single kind, so only the weights of a node's
 * other kinds are stored. The rest of the node's weight belongs to its first kind.
 */
final class Mixes {
    private static final long[] NO_MIX = {};
    /** Flag in a node's byte: the node has several kinds. */
    private static final int MIXED = 0x40;

    /** The number of kinds of methods, which have the lowest numbers. */
    private final int methodKinds;
    /** The number of a node's first kind plus 1, 0 if it has none; with the flag {@link #MIXED} if it has several. */
    private byte[] kinds = new byte[1 << 10];
    /** Pairs of a node and one of its other kinds. */
    private final PairTable further = new PairTable();

    private final LongColumn weights = new LongColumn();

    Mixes(int methodKinds) {
        this.methodKinds = methodKinds;
    }

    /** Adds weight of a kind, which is given by its number. */
    void add(int node, int kind, long weight) {
        if (weight == 0) {
            return;
        }
        if (node >= kinds.length) {
            kinds = Arrays.copyOf(kinds, Math.max(node + 1, kinds.length / 2 * 3));
        }
        if (kinds[node] == 0) {
            kinds[node] = (byte) (kind + 1);
        } else if (first(node) != kind) {
            kinds[node] |= MIXED;
            int at = further.number(node, kind);
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
     * Returns the number of the kind with the largest share of the node's total weight; -1 for a node that is not a
     * method.
     */
    int kindOf(int node, long total) {
        if (!isMixed(node)) {
            return node < kinds.length ? first(node) : -1;
        }
        long[] mix = mixOf(node, total);
        int most = 0;
        for (int i = 1; i < mix.length; i++) {
            if (mix[i] > mix[most]) {
                most = i;
            }
        }
        return most;
    }

    boolean isMixed(int node) {
        return node < kinds.length && (kinds[node] & MIXED) != 0;
    }

    /** Returns the node's weight by kind, in the order of their numbers; empty if there is at most one kind. */
    long[] mixOf(int node, long total) {
        if (!isMixed(node)) {
            return NO_MIX;
        }
        long[] mix = new long[methodKinds];
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
