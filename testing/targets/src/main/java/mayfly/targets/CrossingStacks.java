package mayfly.targets;

/**
 * The class of a program whose main thread runs methods of two JVMs in turn: {@link #first} in one of them and
 * {@link #second} in the other. The last call computes for a while on each line.
 */
public final class CrossingStacks {
    private CrossingStacks() {}

    /** @param calls the number of the calls to come */
    static void first(int calls) {
        next(calls);
    }

    /** @param calls the number of the calls to come */
    static void second(int calls) {
        next(calls);
    }

    private static void next(int calls) {
        if (calls > 0) {
            other(calls - 1);
        } else {
            LineProtocol.untilExit("crossing", CrossingStacks::answer);
        }
    }

    /** Calls the method of the other JVM. */
    private static native void other(int calls);

    private static String answer(String millis) {
        long end = System.nanoTime() + Long.parseLong(millis) * 1_000_000;
        while (System.nanoTime() < end) {
            Work.sink = Work.spin(1_000, 1);
        }
        return "done";
    }
}
