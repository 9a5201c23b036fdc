package mayfly.targets;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * {@code Stress MODE [THREADS]}: work with frames that are hard to walk, in two threads by default. Modes: virtual,
 * megamorphic, intrinsics, recursion, classes, exceptions, implicit, reflection, native, mix. It answers any line with
 * the number of rounds done.
 */
public final class Stress {
    private static final AtomicLong rounds = new AtomicLong();

    /** One kind of work. A round takes some milliseconds, allocates few long-lived objects, and returns a result. */
    interface Load {
        long round(int seed) throws Throwable;
    }

    private Stress() {}

    public static void main(String[] args) throws ReflectiveOperationException {
        String mode = args.length > 0 ? args[0] : "mix";
        int threads = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        if (mode.equals("virtual")) {
            StressVirtual.start(200, rounds);
        } else {
            for (int i = 0; i < threads; i++) {
                List<Load> loads = loads(mode);
                int seed = i;
                LineProtocol.start("stress-" + mode + "-" + i, () -> run(loads, seed));
            }
        }
        while (rounds.get() < 4) {
            Thread.onSpinWait();
        }
        LineProtocol.untilExit("stress " + mode, line -> rounds.toString());
    }

    private static List<Load> loads(String mode) {
        switch (mode) {
            case "megamorphic":
                return List.of(new StressMegamorphic());
            case "intrinsics":
                return List.of(new StressIntrinsics());
            case "recursion":
                return List.of(new StressRecursion());
            case "classes":
                return List.of(new StressClasses());
            case "exceptions":
                return List.of(new StressExceptions());
            case "implicit":
                return List.of(new StressExceptions()::implicit);
            case "reflection":
                return List.of(new StressReflection());
            case "native":
                return List.of(new StressNative());
            case "mix":
                return List.of(
                        new StressMegamorphic(),
                        new StressIntrinsics(),
                        new StressRecursion(),
                        new StressClasses(),
                        new StressExceptions(),
                        new StressReflection(),
                        new StressNative());
            default:
                throw new IllegalArgumentException("no such mode: " + mode);
        }
    }

    private static void run(List<Load> loads, int seed) {
        try {
            for (int i = seed; ; i++) {
                for (Load load : loads) {
                    Work.sink = load.round(i);
                    rounds.incrementAndGet();
                }
            }
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
    }
}
