package mayfly.report.tree;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** For each node, how much of its weight was executed in which way. Nearly all nodes know one way only. */
final class Mixes {
    private static final Kind[] KINDS = Kind.values();
    private static final long[] NO_MIX = {};

    /** One more than the ordinal of a node's first kind, 0 if it has none. */
    private byte[] kinds = new byte[1 << 10];
    private long[] weights = new long[1 << 10];
    /** What a node of several kinds has instead. */
    private long[] @Nullable [] mixes = new long[1 << 10][];

    void add(int node, Kind kind, long weight) {
        if (weight == 0) {
            return;
        }
        if (node >= kinds.length) {
            int room = Math.max(node + 1, kinds.length * 2);
            kinds = Arrays.copyOf(kinds, room);
            weights = Arrays.copyOf(weights, room);
            mixes = Arrays.copyOf(mixes, room);
        }
        if (kinds[node] == 0) {
            kinds[node] = (byte) (kind.ordinal() + 1);
        }
        long[] mix = mixes[node];
        if (mix == null && kinds[node] == kind.ordinal() + 1) {
            weights[node] += weight;
            return;
        }
        if (mix == null) {
            mix = new long[CallTree.JAVA_KINDS];
            mix[kinds[node] - 1] = weights[node];
            mixes[node] = mix;
        }
        mix[kind.ordinal()] += weight;
    }

    /** How the node was executed for the most part; null for what is no Java method. */
    @Nullable Kind kindOf(int node) {
        if (node >= kinds.length || kinds[node] == 0) {
            return null;
        }
        long[] mix = mixes[node];
        if (mix == null) {
            return KINDS[kinds[node] - 1];
        }
        int most = 0;
        for (int i = 1; i < mix.length; i++) {
            if (mix[i] > mix[most]) {
                most = i;
            }
        }
        return KINDS[most];
    }

    /** Weight by kind, {@link CallTree#JAVA_KINDS} of them; empty if there is only one kind, or none. */
    long[] mixOf(int node) {
        long[] mix = node < mixes.length ? mixes[node] : null;
        return mix == null ? NO_MIX : mix;
    }
}
