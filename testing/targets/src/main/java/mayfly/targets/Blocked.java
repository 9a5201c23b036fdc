package mayfly.targets;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Many threads, each blocked in a different way and named {@code kind-...}. It is ready when every thread has the same
 * stack in three looks and is waiting, or is in a native method. It answers any line with their number.
 */
public final class Blocked {
    private static final int LOOKS = 3;
    private static final long BETWEEN_LOOKS_NANOS = 5_000_000;
    private static final Set<Thread> threads = new LinkedHashSet<>();
    private static final AtomicReference<String> failure = new AtomicReference<>("");

    /** Blocks a thread. */
    interface Body {
        void block() throws Throwable;
    }

    private Blocked() {}

    public static void main(String[] args) throws Exception {
        BlockedOnLocks.start();
        BlockedInQueues.start();
        BlockedInIo.start();
        BlockedInCalls.start();
        BlockedInClasses.start();
        // A pool or a timer started some of the threads, so only their names are known.
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("kind-")) {
                expect(thread);
            }
        }
        for (Thread thread : threads) {
            awaitBlocked(thread);
        }
        LineProtocol.untilExit("blocked " + threads.size(), line -> Integer.toString(threads.size()));
    }

    /** Starts a thread that is expected to block permanently. */
    static Thread start(String kind, Body body) {
        Thread thread = LineProtocol.start("kind-" + kind, () -> run(kind, body));
        threads.add(thread);
        return thread;
    }

    /** Counts a thread that other code has started and named. */
    static void expect(Thread thread) {
        threads.add(thread);
    }

    private static void run(String kind, Body body) {
        try {
            body.block();
            failure.set(kind + " did not block");
        } catch (Throwable e) {
            failure.set(kind + ": " + e);
        }
    }

    /** Waits until a thread is blocked at its final place. */
    static void awaitBlocked(Thread thread) {
        int same = 0;
        StackTraceElement[] before = {};
        while (same < LOOKS) {
            if (!failure.get().isEmpty()) {
                System.err.println(failure.get());
                System.exit(1);
            }
            StackTraceElement[] now = thread.getStackTrace();
            same = now.length > 0 && Arrays.equals(before, now) && waits(thread, now[0]) ? same + 1 : 0;
            before = now;
            LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
        }
    }

    private static boolean waits(Thread thread, StackTraceElement leaf) {
        switch (thread.getState()) {
            case BLOCKED:
            case WAITING:
            case TIMED_WAITING:
                return true;
            case RUNNABLE:
                // A native method blocks in the kernel; a class in initialisation by another thread blocks in the VM.
                return leaf.isNativeMethod() || thread.getName().startsWith("kind-class-wait");
            default:
                return false;
        }
    }
}
