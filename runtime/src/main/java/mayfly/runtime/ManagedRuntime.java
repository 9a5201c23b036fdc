package mayfly.runtime;

import java.util.List;
import java.util.Map;
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

    /** Returns the name of its product, such as {@code HotSpot}. */
    String kind();

    /** Returns its own version, such as {@code 25.0.3+9-LTS}: untrusted text. */
    String version();

    /** Returns the start address of the first mapping of its library. It is unique among the runtimes of a process. */
    long libraryStart();

    /**
     * Returns one line that identifies it: id, kind, version, the address of its library and, if so, that it has been
     * destroyed, such as {@code r1 HotSpot 25.0.3+9-LTS at 0x7f5d40000000}.
     */
    default String line() {
        return id() + " " + kind() + " " + version() + " at 0x" + Long.toHexString(libraryStart())
                + (isDestroyed() ? ", destroyed" : "");
    }

    /**
     * Returns true if the program has destroyed it. Its library remains mapped and its threads may remain blocked.
     * Returns false if the runtime does not record this.
     */
    default boolean isDestroyed() {
        return false;
    }

    /**
     * Returns the program that runs in it with its arguments, separated by blanks: untrusted text. Empty if the runtime
     * does not record it, or if it cannot be read.
     */
    default String command() {
        return "";
    }

    /** Returns true if the runtime generated the code at this address. Returns false for foreign code at any time. */
    boolean owns(long pc);

    /** Returns true if the mapped file that starts here is the runtime itself, so that its frames are the VM's. */
    boolean isLibrary(String path, long start);

    /**
     * Moves the cursor from a frame in this runtime's code to its caller and reports the frames at the cursor, leaf
     * first: none, one, or several if methods were inlined.
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
     * Reports the managed frames that a native frame represents, leaf first. The cursor is at a frame in
     * {@link #interposedCode()} and remains there: the walker steps over it as over any native frame.
     *
     * @return true if they replace the native frame; otherwise it is reported as well
     */
    default boolean interpose(FrameCursor cursor, FrameSink sink) {
        return false;
    }

    /**
     * Begins a new epoch: cached data on code that can be freed must be confirmed before it is used again.
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

    /**
     * Returns the full name of a thread that the runtime does not list, derived from the kernel's name of it, or the
     * kernel's name if no more is known.
     */
    default String wholeThreadName(String kernelsName) {
        return kernelsName;
    }

    /**
     * Returns true if the leaf frames of compiled code are certain: the runtime has recorded the method of every
     * instruction. Otherwise inlined leaf methods are inferred.
     */
    default boolean hasCertainLeaves() {
        return true;
    }

    /**
     * Returns the number of pieces of generated code that were freed or replaced so far, as far as the walks have
     * detected it.
     */
    default long supersededCode() {
        return 0;
    }

    /** Returns the number of frames that were decoded with code that was no longer in place. */
    default long supersededFrames() {
        return 0;
    }

    /**
     * Returns the number of occurrences of each event that should be rare, by its description. Each one is handled;
     * many of them mean that names may be wrong.
     */
    default Map<String, Long> rareEvents() {
        return Map.of();
    }
}
