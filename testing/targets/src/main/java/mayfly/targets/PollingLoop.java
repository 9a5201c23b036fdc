package mayfly.targets;

/**
 * A thread, {@code polling}, in a compiled loop without calls, whose safepoint polls are inside the method. It answers
 * the line {@code gc} after a collection, for which the thread must reach a safepoint, and any line with its rounds.
 */
public final class PollingLoop {
    private static final long WARM = 10_000_000;
    private static volatile long rounds;

    private PollingLoop() {}

    public static void main(String[] args) {
        LineProtocol.start("polling", PollingLoop::loop);
        while (rounds < WARM) {
            Thread.onSpinWait();
        }
        LineProtocol.untilExit("polling", PollingLoop::answer);
    }

    private static void loop() {
        for (long n = 0; ; n++) {
            rounds = n;
        }
    }

    private static String answer(String line) {
        if (line.equals("gc")) {
            System.gc();
        }
        return Long.toString(rounds);
    }
}
