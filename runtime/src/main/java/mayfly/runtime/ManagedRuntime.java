package mayfly.runtime;

import java.util.List;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.RuntimeId;

/**
 * One managed runtime in a target process: its generated code, its frames, its threads.
 *
 * <p>It is read while it runs. The data on a frame is valid for the time of the sample as far as it could be checked;
 * otherwise the result is a failure outcome and not a guess. Confined to one thread.
 */
public interface ManagedRuntime {

    /** Returns its id in this process. */
    RuntimeId id();

    /** Returns its own version string, such as {@code 25.0.3+9-LTS}. */
    String version();

    /**
     * Returns true if the runtime generated the code at this address. Returns false for all other code, at any time.
     */
    boolean owns(long pc);

    /** Returns true if the mapped file that starts here is the runtime itself, so that its frames are the VM's. */
    boolean isLibrary(String path, long start);

    /**
     * Moves the cursor from a frame in this runtime's code to its caller and reports the frames at the cursor, leaf
     * first: none, one, or several if methods were inlined.
     */
    Step step(FrameCursor cursor, FrameSink sink);

    /**
     * Begins a new epoch: cached data on code that can be freed must be confirmed before its next use.
     *
     * @param nowNanos CLOCK_MONOTONIC, ns
     */
    void newEpoch(long nowNanos);

    /**
     * Sets the registers to the point where a thread last left managed code, as recorded by the runtime when it called
     * out: for a thread that waits in native code whose frames cannot be stepped.
     *
     * @param handle the runtime's structure for the thread, from {@link #threads()}
     * @return false if the thread is not out of managed code
     * @throws MemoryFault if the runtime's structure for the thread cannot be read
     */
    boolean lastManagedFrame(long handle, Registers into) throws MemoryFault;

    /**
     * Returns its current threads.
     *
     * @throws MemoryFault if they cannot be read
     */
    List<ManagedThread> threads() throws MemoryFault;

    /**
     * Returns the current data on one of its threads. A value that cannot be read is null or UNKNOWN, with the reason
     * in the result; this never throws.
     *
     * @param thread one of {@link #threads()}; it may have ended since
     */
    ManagedThreadInfo info(ManagedThread thread);
}
