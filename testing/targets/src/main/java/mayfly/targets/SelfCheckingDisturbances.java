package mayfly.targets;

import java.util.ArrayList;
import java.util.List;

/** Loads that interfere with the other threads. */
final class SelfCheckingDisturbances {
    private static final int PIECES = 500;
    private static final int PIECE_BYTES = 10_000;
    private static final int KEPT = 200;
    private static final long SHORT_LIFE_STEPS = 20_000;
    private static final List<byte[]> kept = new ArrayList<>();

    private SelfCheckingDisturbances() {}

    /** Creates garbage, some of which lives for a while, and collects all of it. */
    static void collect(long n) {
        for (int i = 0; i < PIECES; i++) {
            byte[] piece = new byte[PIECE_BYTES];
            if (kept.size() < KEPT) {
                kept.add(piece);
            } else {
                kept.set((int) ((n + i) % KEPT), piece);
            }
        }
        System.gc();
    }

    /** Runs a thread that lives for some microseconds. */
    static void churn(long n) throws InterruptedException {
        Thread child = LineProtocol.start("short-" + n, SelfCheckingDisturbances::live);
        child.join();
    }

    private static void live() {
        Work.sink = Work.spin(SHORT_LIFE_STEPS, 1);
    }
}
