package mayfly.host.probe.jvm;

import java.util.concurrent.atomic.AtomicInteger;
import mayfly.api.Profiler;
import mayfly.api.code.MethodId;

/**
 * Reports calls of probed methods to the profiler, on the calling thread. Everything that a report uses before and
 * after the callback is in a package that {@link mayfly.host.probe.ReservedPackages} excludes from probes, so that a
 * report causes no other one.
 *
 * <p>A thread's state is an {@code int[]} in a {@link ThreadLocal}: what stays in the program's threads after a detach
 * has only types of the JDK. The number of running callbacks is divided over several counters, because threads that
 * share one would slow each other; a thread always uses the same one, so that a counter is never negative.
 */
public final class ProbeDelivery {
    private static final int INSIDE = 0;
    private static final int COUNTER = 1;
    /** 1 if the thread is counted as one with a running callback. */
    private static final int COUNTED = 2;

    private static final int COUNTERS = 64;
    /** Four counters, objects of 16 bytes, have one cache line of 64 bytes, so only each fourth is used. */
    private static final int SPACING = 4;

    private final Profiler profiler;
    private final ProbeJvm jvm;
    private final ThreadLocal<int[]> threads = new ThreadLocal<>();
    private final AtomicInteger lastCounter = new AtomicInteger();
    private final AtomicInteger[] running = new AtomicInteger[COUNTERS * SPACING];

    ProbeDelivery(Profiler profiler, ProbeJvm jvm) {
        this.profiler = profiler;
        this.jvm = jvm;
        for (int i = 0; i < running.length; i++) {
            running[i] = new AtomicInteger();
        }
    }

    private int[] thread() {
        int[] thread = threads.get();
        if (thread == null) {
            thread = new int[] {0, lastCounter.getAndIncrement() % COUNTERS * SPACING & (running.length - 1), 0};
            threads.set(thread);
        }
        return thread;
    }

    /**
     * Switches reports off on this thread, which begins a callback. Returns false if they are off already.
     */
    boolean enterCallback() {
        int[] thread = thread();
        boolean first = thread[INSIDE] == 0;
        thread[INSIDE] = 1;
        return first;
    }

    /** Undoes {@link #enterCallback}, if it returned true. */
    void leaveCallback() {
        thread()[INSIDE] = 0;
    }

    /** Reports an enter. */
    public void entered(MethodId method) {
        report(method, true, false);
    }

    /** Reports a leave. */
    public void left(MethodId method, boolean thrown) {
        report(method, false, thrown);
    }

    private void report(MethodId method, boolean enters, boolean thrown) {
        int[] thread = thread();
        if (thread[INSIDE] != 0) {
            return;
        }
        thread[INSIDE] = 1;
        try {
            AtomicInteger counter = running[thread[COUNTER]];
            if (thread[COUNTED] == 0) {
                counter.addAndGet(1);
                thread[COUNTED] = 1;
            }
            try {
                deliver(method, enters, thrown);
            } finally {
                // The call fails if the stack has no room. The next report, with more room, makes up for it: the
                // exception unwinds probed methods, which report that they are left.
                counter.addAndGet(-1);
                thread[COUNTED] = 0;
            }
        } catch (Throwable e) {
            jvm.countThrown();
        } finally {
            thread[INSIDE] = 0;
        }
    }

    private void deliver(MethodId method, boolean enters, boolean thrown) {
        if (!jvm.delivers()) {
            return;
        }
        if (enters) {
            profiler.methodEntered(method);
        } else {
            profiler.methodLeft(method, thrown);
        }
    }

    /** Returns true if a callback has not returned. Once reports are off, none begins, and false is final. */
    boolean isRunning() {
        for (AtomicInteger counter : running) {
            if (counter.get() != 0) {
                return true;
            }
        }
        return false;
    }
}
