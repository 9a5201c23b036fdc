package mayfly.targets;

/**
 * Spends 50, 30 and 20 % of its CPU time in three methods. Each slice of work goes to the method that is furthest
 * behind its share by the thread's own CPU clock, so the shares are exact to a slice at any moment. Slices differ in
 * length: with a repeating pattern, a sampler with a similar period would sample the same places repeatedly. It answers
 * any line with the CPU time of each method, in ns.
 */
public final class Shares {
    private static final int SLICE = 400_000;
    private static long random = 42;
    private static volatile long fiftyNanos;
    private static volatile long thirtyNanos;
    private static volatile long twentyNanos;

    private Shares() {}

    public static void main(String[] args) {
        LineProtocol.start("shares", Shares::loop);
        while (fiftyNanos < 200_000_000L) {
            Thread.onSpinWait();
        }
        LineProtocol.untilExit(
                "shares", line -> "fifty=" + fiftyNanos + " thirty=" + thirtyNanos + " twenty=" + twentyNanos);
    }

    private static void loop() {
        long fifty = 0;
        long thirty = 0;
        long twenty = 0;
        long x = 1;
        long before = Work.cpuNanos();
        while (true) {
            long fiftyDone = fifty * 6;
            long thirtyDone = thirty * 10;
            long twentyDone = twenty * 15;
            if (fiftyDone <= thirtyDone && fiftyDone <= twentyDone) {
                x = fifty(x, slice());
                long after = Work.cpuNanos();
                fifty += after - before;
                fiftyNanos = fifty;
                before = after;
            } else if (thirtyDone <= twentyDone) {
                x = thirty(x, slice());
                long after = Work.cpuNanos();
                thirty += after - before;
                thirtyNanos = thirty;
                before = after;
            } else {
                x = twenty(x, slice());
                long after = Work.cpuNanos();
                twenty += after - before;
                twentyNanos = twenty;
                before = after;
            }
            Work.sink = x;
        }
    }

    /** Returns a random value between a half and three halves of {@link #SLICE}. */
    private static int slice() {
        random = random * 6364136223846793005L + 1442695040888963407L;
        return SLICE / 2 + (int) ((random >>> 33) % SLICE);
    }

    private static long fifty(long seed, int slice) {
        long x = seed;
        for (int i = 0; i < slice; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
            x ^= x >>> 29;
        }
        return x;
    }

    private static long thirty(long seed, int slice) {
        long x = seed;
        for (int i = 0; i < slice; i++) {
            x = (x ^ (x << 13)) + i;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static long twenty(long seed, int slice) {
        double y = (seed & 1023) + 2.5;
        for (int i = 0; i < slice / 4; i++) {
            y = 2.0 + 1000.0 / (y + 0.5);
        }
        return (long) (y * 1e6);
    }
}
