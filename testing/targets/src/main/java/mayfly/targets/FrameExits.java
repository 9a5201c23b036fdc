package mayfly.targets;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;

/**
 * One thread that repeats one action, while a test steps it one instruction at a time: {@code throw} an exception
 * through methods without a handler, {@code catch} one in the method that throws it, {@code return} objects, or
 * {@code yield} a virtual thread.
 */
public final class FrameExits {
    /** Created once, so that nearly all of the work is unwinding. */
    private static final RuntimeException THROWN = new RuntimeException("thrown", null, false, false) {};

    private FrameExits() {}

    public static void main(String[] args) throws Exception {
        Runnable work = Map.<String, Runnable>of(
                        "throw",
                        FrameExits::throwing,
                        "catch",
                        FrameExits::catching,
                        "return",
                        FrameExits::returning,
                        "yield",
                        FrameExits::yielding)
                .get(args[0]);
        CountDownLatch warm = new CountDownLatch(1);
        Runnable forever = () -> {
            for (int i = 0; i < 20_000; i++) {
                work.run();
            }
            warm.countDown();
            while (true) {
                work.run();
            }
        };
        Thread thread = args[0].equals("yield") ? virtual(forever) : new Thread(forever, "small");
        thread.setDaemon(true);
        thread.start();
        warm.await();
        LineProtocol.untilExit("small " + args[0], line -> line);
    }

    /** Virtual threads exist since JDK 21. */
    private static Thread virtual(Runnable work) throws ReflectiveOperationException {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        return ((ThreadFactory) type.getMethod("factory").invoke(builder)).newThread(work);
    }

    private static void throwing() {
        try {
            Work.sink = thrower(6);
        } catch (RuntimeException e) {
            Work.sink++;
        }
    }

    private static long thrower(int levels) {
        if (levels == 0) {
            throw THROWN;
        }
        return thrower(levels - 1) + 1;
    }

    private static void catching() {
        Work.sink = catcher((int) Work.sink & 3);
    }

    private static long catcher(int count) {
        try {
            throw THROWN;
        } catch (IllegalStateException e) {
            return 0;
        } catch (RuntimeException e) {
            return count + 1;
        }
    }

    private static void returning() {
        Work.sink = object("one").length() + object("another").length();
    }

    private static String object(String of) {
        return same(of);
    }

    private static String same(String of) {
        return of;
    }

    private static void yielding() {
        Thread.yield();
        Work.sink++;
    }
}
