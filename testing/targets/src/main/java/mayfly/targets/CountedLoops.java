package mayfly.targets;

import java.util.concurrent.locks.LockSupport;

/**
 * A thread that runs a counted loop for most of its time. C2 places no safepoint poll in the loop if it does not divide
 * loops, as with {@code -XX:+UseSerialGC}, so that a safepoint waits for the loop's end. {@code run N} needs N
 * safepoints, 20 ms after each other, and answers when all have ended. With the argument {@code always}, a thread needs
 * safepoints until the end.
 */
public final class CountedLoops {
    /** Some 50 ms of compiled code. */
    private static final int LONG = 40_000_000;

    private static final int COMPILED = 20_000;
    private static final long PAUSE_NANOS = 20_000_000;
    /** Little beside the loop: on a busy machine, the thread also loses its CPU here, and delays a safepoint. */
    private static final long POLLING_NANOS = 500_000;

    private static volatile long result;
    private static volatile boolean warm;

    private CountedLoops() {}

    public static void main(String[] args) throws InterruptedException {
        LineProtocol.start("loops", CountedLoops::loops);
        while (!warm) {
            Thread.sleep(5);
        }
        if (args.length > 0) {
            LineProtocol.start("dumps", () -> dump(Integer.MAX_VALUE));
        }
        LineProtocol.untilExit("loops", line -> {
            int wanted = Integer.parseInt(line.split(" ")[1]);
            dump(wanted);
            return "safepoints=" + wanted;
        });
    }

    private static void dump(int times) {
        for (int i = 0; i < times; i++) {
            Thread.getAllStackTraces();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static void loops() {
        for (int i = 0; i < COMPILED; i++) {
            result += delaying(100);
        }
        for (int i = 0; ; i++) {
            result += delaying(LONG);
            warm = i > 2;
            polling();
        }
    }

    /** Each step needs the result of the one before, so that the loop can be neither shortened nor run in parallel. */
    private static int delaying(int steps) {
        int value = 1;
        for (int i = 0; i < steps; i++) {
            value = value * 31 + (i ^ value >>> 3);
        }
        return value;
    }

    /** Calls in the loop are polls. */
    private static void polling() {
        long since = System.nanoTime();
        while (System.nanoTime() - since < POLLING_NANOS) {
            result++;
        }
    }
}
