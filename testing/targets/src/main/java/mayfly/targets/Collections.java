package mayfly.targets;

import java.util.concurrent.locks.LockSupport;

/**
 * Makes the JVM collect garbage: {@code run N} allocates in N rounds, and calls System.gc() at the end of each. Some
 * MiB of small objects stay alive, a part of which each round replaces. It answers with the number of rounds.
 */
public final class Collections {
    private static final int KEPT = 200_000;
    private static final int REPLACED = 20_000;
    private static final int SMALL = 64;
    private static final int BATCHES = 24;
    /** The garbage of a batch: 2 MiB. */
    private static final int GARBAGE = 2 << 20;

    private static final int BIG = 8 << 10;
    /** Between batches, so that collections do not follow each other at once. */
    private static final long PAUSE_NANOS = 1_000_000;

    private static final Object[] kept = new Object[KEPT];
    private static volatile Object last;

    private Collections() {}

    public static void main(String[] args) {
        replace(0, KEPT);
        LineProtocol.untilExit("collects", line -> {
            int rounds = Integer.parseInt(line.split(" ")[1]);
            for (int i = 0; i < rounds; i++) {
                allocate(i);
                System.gc();
            }
            return "rounds=" + rounds;
        });
    }

    private static void allocate(int round) {
        for (int batch = 0; batch < BATCHES; batch++) {
            for (int done = 0; done < GARBAGE; done += BIG) {
                last = new byte[BIG];
            }
            replace((round * BATCHES + batch) * REPLACED / BATCHES, REPLACED / BATCHES);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static void replace(int from, int count) {
        for (int i = from; i < from + count; i++) {
            kept[i % KEPT] = new byte[SMALL];
        }
    }
}
