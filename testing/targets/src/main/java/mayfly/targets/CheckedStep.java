package mayfly.targets;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** One kind of repeated work, its count, and whether it ever failed. */
final class CheckedStep {
    private static final List<CheckedStep> all = new CopyOnWriteArrayList<>();
    private static final AtomicLong wrong = new AtomicLong();
    private static final AtomicReference<String> first = new AtomicReference<>("");

    private final String name;
    private final AtomicLong count = new AtomicLong();

    /** Performs step number n, starting at 0. */
    interface Step {
        void take(long n) throws Exception;
    }

    private CheckedStep(String name) {
        this.name = name;
    }

    /** Starts a thread of that name that performs one step after the other. */
    static void start(String name, Step step) {
        CheckedStep steps = new CheckedStep(name);
        all.add(steps);
        LineProtocol.start(name, () -> steps.takeAll(step));
    }

    /** Starts a thread of that name whose steps are not counted: the peer of a counted thread. */
    static void startSilent(String name, Step step) {
        LineProtocol.start(name, () -> new CheckedStep(name).takeAll(step));
    }

    private void takeAll(Step step) {
        try {
            for (long n = 0; ; n++) {
                step.take(n);
                count.lazySet(n + 1);
            }
        } catch (Exception | Error e) {
            wrong(name + ": " + e); // the count no longer increases, which a test detects too
        }
    }

    static void check(boolean right, String what) {
        if (!right) {
            wrong(what);
        }
    }

    private static void wrong(String what) {
        first.compareAndSet("", " first: " + what.replace('\n', ' '));
        wrong.incrementAndGet();
    }

    static List<CheckedStep> all() {
        return all;
    }

    static long wrong() {
        return wrong.get();
    }

    static String first() {
        return first.get();
    }

    String name() {
        return name;
    }

    long count() {
        return count.get();
    }
}
