package mayfly.targets;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;

/**
 * Causes one kind of event at a time: {@code KIND MILLIS} repeats the cause for that time, and answers {@code DONE
 * NANOS}. The kinds are in {@link #main}. Virtual threads need JDK 21. {@code compilations} needs a JVM whose compilers
 * do not work in the background, and {@code traps} also one without tiers.
 */
public final class EventCauses {
    private static final int CALLS = 500;
    private static final int ALLOCATIONS = 1_000;
    private static final int CALLS_BEFORE_TRAP = 12_000;

    private static final Object monitor = new Object();
    private static Object last;

    private EventCauses() {}

    /** The class that is loaded repeatedly. */
    public static final class Guest implements IntUnaryOperator {
        @Override
        public int applyAsInt(int x) {
            return x < 0 ? Integer.toString(x).length() : x + 1;
        }
    }

    private static final class Loader extends ClassLoader {
        Class<?> load(byte[] bytes) {
            return defineClass(Guest.class.getName(), bytes, 0, bytes.length);
        }
    }

    /** Causes the event once. */
    private interface Cause {
        void run() throws ReflectiveOperationException, InterruptedException;
    }

    public static void main(String[] args) throws IOException {
        byte[] guest;
        try (InputStream in = EventCauses.class.getResourceAsStream("EventCauses$Guest.class")) {
            guest = in.readAllBytes();
        }
        Thread rival = LineProtocol.start("rival", EventCauses::enterOnRequest);
        Map<String, Cause> causes = Map.of(
                "threads", () -> run(new Thread(() -> {})),
                "virtual-threads", () -> LineProtocol.startVirtual(() -> {}).join(),
                "classes", () -> last = load(guest),
                "modules", () -> last = OneModule.layer("guest"),
                "collections", System::gc,
                "compilations", () -> call(load(guest), CALLS),
                "traps", () -> trap(load(guest)),
                "allocations", EventCauses::allocate,
                "contention", () -> contend(rival),
                "exceptions", EventCauses::throwAndCatch);
        LineProtocol.untilExit("event causes", line -> {
            String[] words = line.split(" ");
            try {
                return repeat(causes.get(words[0]), Long.parseLong(words[1]) * 1_000_000);
            } catch (ReflectiveOperationException | InterruptedException e) {
                return e.toString();
            }
        });
    }

    private static String repeat(Cause cause, long nanos) throws ReflectiveOperationException, InterruptedException {
        long begin = System.nanoTime();
        long done = 0;
        long now = begin;
        while (now - begin < nanos) {
            cause.run();
            done++;
            now = System.nanoTime();
        }
        return done + " " + (now - begin);
    }

    private static void run(Thread thread) throws InterruptedException {
        thread.start();
        thread.join();
    }

    private static IntUnaryOperator load(byte[] guest) throws ReflectiveOperationException {
        return (IntUnaryOperator)
                new Loader().load(guest).getDeclaredConstructor().newInstance();
    }

    private static int call(IntUnaryOperator operator, int times) {
        int x = 0;
        for (int i = 0; i < times; i++) {
            x = operator.applyAsInt(x);
        }
        Work.sink = x;
        return x;
    }

    /** Calls a method until it is compiled without a branch, and then takes that branch. */
    private static void trap(IntUnaryOperator operator) {
        call(operator, CALLS_BEFORE_TRAP);
        Work.sink = operator.applyAsInt(-1);
    }

    /** Owns a monitor until another thread waits for it. */
    private static void contend(Thread rival) {
        synchronized (monitor) {
            LockSupport.unpark(rival);
            while (rival.getState() != Thread.State.BLOCKED) {
                LockSupport.unpark(rival);
                Thread.onSpinWait();
            }
        }
        while (rival.getState() == Thread.State.BLOCKED) {
            Thread.onSpinWait();
        }
    }

    private static void enterOnRequest() {
        while (true) {
            LockSupport.park();
            synchronized (monitor) {
                Work.sink++;
            }
        }
    }

    private static void allocate() {
        for (int i = 0; i < ALLOCATIONS; i++) {
            last = new byte[64];
        }
    }

    private static void throwAndCatch() {
        try {
            throw new IllegalStateException();
        } catch (IllegalStateException e) {
            last = e;
        }
    }
}
