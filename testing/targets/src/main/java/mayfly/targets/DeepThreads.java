package mayfly.targets;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code DeepThreads N FRAMES}: N threads, each parked below FRAMES frames. It answers every line with the line itself.
 */
public final class DeepThreads {
    private static final long STACK_BYTES = 4 << 20;

    private DeepThreads() {}

    public static void main(String[] args) throws InterruptedException {
        int count = Integer.parseInt(args[0]);
        int frames = Integer.parseInt(args[1]);
        CountDownLatch down = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(null, () -> dive(frames, down), "deep-" + i, STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
        }
        down.await();
        LineProtocol.untilExit("deep", line -> line);
    }

    /** Never returns. */
    private static int dive(int frames, CountDownLatch down) {
        if (frames > 0) {
            return dive(frames - 1, down) + 1;
        }
        down.countDown();
        while (true) {
            LockSupport.park();
        }
    }
}
