package mayfly.record.event;

import java.io.IOException;
import mayfly.discovery.Refused;
import mayfly.profile.Ledger;

/**
 * An open source of samples. All calls come from the recording thread.
 *
 * <p>The order is: {@link #enable()}, any number of {@link #await}, {@link #begin()} and {@link #drain},
 * {@link #disable()}, a last drain, {@link #account}, {@link #close()}.
 */
public interface EventSource extends AutoCloseable {

    /**
     * Checks that the runtimes of a running target, which are known now, have the event. May be called before or after
     * {@link #enable()}.
     *
     * @throws Refused if none has it
     */
    default void requireSupport() throws Refused {}

    /**
     * Starts sampling.
     *
     * @throws IOException if it cannot be started
     */
    void enable() throws IOException;

    /**
     * Waits until there may be samples to drain, at most for the given time. Returns false if the target has ended;
     * its last samples can still be drained.
     *
     * @param timeoutMillis 0 to do only what is due, which must not wait
     */
    boolean await(int timeoutMillis);

    /** Returns the longest time that may pass between two calls of {@link #await}, ms. */
    default int intervalMillis() {
        return Integer.MAX_VALUE;
    }

    /**
     * Returns true if samples should be drained now, because there is no room for more or because a sample is due. A
     * drain makes it false.
     */
    default boolean isDue() {
        return false;
    }

    /** Marks the samples present now as the end of the next drain. */
    default void begin() {}

    /**
     * Passes the samples present now, or at {@link #begin()}, to the recording.
     *
     * @throws IOException if the capture cannot be written
     */
    void drain(SampleSink sink) throws IOException;

    /** Returns the time for which all samples can wait for a drain, ns; 0 if the time is not known. */
    default long holdsNanos() {
        return 0;
    }

    /** Returns true if samples may wait for a while without being lost. */
    default boolean hasRoom() {
        return false;
    }

    /** Stops sampling. Samples taken so far can still be drained. */
    void disable();

    /** Returns the number of samples that could not be delivered so far. */
    long lost();

    /** Returns true if the source has found that the target has called execve(2). */
    default boolean isReplaced() {
        return false;
    }

    /** Drops all samples taken so far, which belong to a program that the target no longer is. */
    default void discard() {}

    /** Returns a short description of the method of sampling. */
    String description();

    /** Returns true if CPU time in the kernel is sampled. The samples then represent all of the target's CPU time. */
    default boolean seesKernel() {
        return false;
    }

    /** Returns true if samples have kernel frames. */
    default boolean hasKernelFrames() {
        return false;
    }

    /** Adds the losses of this source, and notes about its sampling, to a ledger. */
    void account(Ledger.Builder ledger);

    @Override
    void close();
}
