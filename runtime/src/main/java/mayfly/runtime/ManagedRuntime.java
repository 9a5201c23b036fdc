package mayfly.runtime;

import java.util.List;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.RuntimeId;

/**
 * One managed runtime in a traced process: the code it generated, its frames, its threads.
 *
 * <p>It is read while it runs. What it says of a frame is true of the sample's time as far as it could be checked;
 * where it could not, the answer is an outcome and not a guess. Belongs to one thread.
 */
public interface ManagedRuntime {

    /** Its id in this process. */
    RuntimeId id();

    /** What it calls itself, such as {@code 25.0.3+9-LTS}. */
    String version();

    /** Whether the runtime generated the code at this address. Foreign code yields false, at any time. */
    boolean owns(long pc);

    /** Whether the mapped file that starts here is the runtime itself, so that its frames are the VM's. */
    boolean isLibrary(String path, long start);

    /**
     * Moves the cursor from a frame in this runtime's code to its caller and reports the frames it stood for, leaf
     * first: none, one, or several where methods were inlined.
     */
    Step step(FrameCursor cursor, FrameSink sink);

    /**
     * The native functions at which the runtime inserts managed frames, such as an interpreter's evaluator. The walker
     * asks {@link #interpose} at frames of these functions only, by their addresses. It asks for them once in each
     * epoch, after {@link #newEpoch}.
     */
    default List<AddressRange> interposedCode() {
        return List.of();
    }

    /**
     * Reports the managed frames that a native frame stands for, leaf first. The cursor is at a frame in
     * {@link #interposedCode()} and stays there: the walker steps over it as over any native frame.
     *
     * @return whether they stand for the native frame; if not, it is reported as well
     */
    default boolean interpose(FrameCursor cursor, FrameSink sink) {
        return false;
    }

    /**
     * Time has passed: what was learnt of code that can be freed must be confirmed before it is used again.
     *
     * @param nowNanos CLOCK_MONOTONIC, ns
     */
    void newEpoch(long nowNanos);

    /**
     * Where a thread last left managed code, as the runtime itself noted it when it called out: for a thread that waits
     * in native code whose frames cannot be stepped.
     *
     * @param handle the runtime's structure for the thread, from {@link #threads()}
     * @return false if the thread is not out of managed code
     */
    boolean lastManagedFrame(long handle, Registers into) throws MemoryFault;

    /** Its threads now. */
    List<ManagedThread> threads() throws MemoryFault;

    /**
     * What is known of one of its threads now. What could not be read is null or UNKNOWN, with the reason beside it,
     * never an exception.
     *
     * @param thread one of {@link #threads()}; it may have ended since
     */
    ManagedThreadInfo info(ManagedThread thread);
}
