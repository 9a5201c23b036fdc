package mayfly.targets;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** {@code DeepStack MB}: a thread named {@code deep} whose stack is that large, parked at its end. */
public final class DeepStack {
    private static final long MEGABYTE = 1 << 20;
    /** This number of frames is enough room to park. */
    private static final int ROOM = 500;

    private DeepStack() {}

    public static void main(String[] args) throws InterruptedException {
        long bytes = Long.parseLong(args[0]) * MEGABYTE;
        CountDownLatch down = new CountDownLatch(1);
        Thread deep = new Thread(null, () -> dive(down), "deep", bytes);
        deep.setDaemon(true);
        deep.start();
        down.await();
        LineProtocol.untilExit("deep", line -> line);
    }

    /**
     * Descends until the stack overflows, returns some levels, and parks there. Returns the number of levels still to
     * return.
     */
    private static int dive(CountDownLatch down) {
        int up;
        try {
            up = dive(down);
        } catch (StackOverflowError e) {
            return ROOM;
        }
        while (up == 0) {
            down.countDown();
            LockSupport.park();
        }
        return up - 1;
    }
}
