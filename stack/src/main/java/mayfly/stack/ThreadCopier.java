package mayfly.stack;

import java.io.IOException;
import java.util.Map;
import java.util.function.LongConsumer;
import mayfly.linux.trace.ThreadSnapshot;
import mayfly.linux.trace.ThreadStopper.Outcome;

/** Copies the registers and the stacks of a process's threads. A test replaces it by a script. */
interface ThreadCopier extends AutoCloseable {

    /**
     * Copies one thread.
     *
     * @param held runs at the moment of the copy, unless the time limit of a stop is reached
     */
    Outcome copy(int tid, ThreadSnapshot into, Runnable held);

    /**
     * Copies all threads at one moment.
     *
     * @param onCopy actions by thread id, run at the moment of the copy for a thread that is copied without a stop
     * @param whileStopped run once when all threads have been copied, unless one of them may not be stopped; it
     *         receives the {@link System#nanoTime()} by which it must return
     * @throws IOException if the threads cannot be listed
     */
    AllCopies copyAll(Map<Integer, Runnable> onCopy, LongConsumer whileStopped) throws IOException;

    /** Releases threads that stopped too late to be copied. Returns true if none is left. */
    boolean releaseLate();

    /** Returns the reason for the last NOT_PERMITTED. */
    String refusal();

    /** Returns true if the last NOT_PERMITTED was caused by another tracer of the thread. */
    boolean isTracedByAnother();

    @Override
    void close();

    /** The copies of all threads. */
    interface AllCopies extends AutoCloseable {
        /** Returns the id of a thread that may not be stopped, 0 if there was none. */
        int refusedTid();

        /** Returns the outcome for a thread. If it was copied, puts the copy into the snapshot. */
        Outcome copy(int tid, ThreadSnapshot into);

        @Override
        void close();
    }
}
