package mayfly.targets;

import java.util.Map;

/**
 * One thread that does one thing over and over, to be led through it one instruction at a time: {@code throw} an
 * exception through methods without a handler, or {@code return} objects.
 */
public final class SmallThrows {
    /** Made once, so that nearly all that is done is to unwind. */
    private static final RuntimeException THROWN = new RuntimeException("thrown", null, false, false) { };

    private SmallThrows() {
    }

    public static void main(String[] args) throws Exception {
        Runnable work = Map.<String, Runnable>of("throw", SmallThrows::throwing, "return", SmallThrows::returning)
                .get(args[0]);
        for (int i = 0; i < 20_000; i++) {
            work.run();
        }
        Runnable forever = () -> {
            while (true) {
                work.run();
            }
        };
        Thread thread = new Thread(forever, "small");
        thread.setDaemon(true);
        thread.start();
        Talk.untilExit("small " + args[0], line -> line);
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

    private static void returning() {
        Work.sink = object("one").length() + object("another").length();
    }

    private static String object(String of) {
        return same(of);
    }

    private static String same(String of) {
        return of;
    }
}
