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

    /** The name of its product, such as {@code HotSpot}. */
    String kind();

    /** Its own version, such as {@code 25.0.3+9-LTS}: untrusted text. */
    String version();

    /** Where the first mapping of its library starts: no other runtime of the process has the same address. */
    long libraryStart();

    /**
     * One line that names it: id, kind, version, the address of its library, and that it has been destroyed if so, such as
     * {@code r1 HotSpot 25.0.3+9-LTS at 0x7f5d40000000}.
     */
    default String line() {
        return id() + " " + kind() + " " + version() + " at 0x" + Long.toHexString(libraryStart())
                + (isDestroyed() ? ", destroyed" : "");
    }

    /**
     * Whether the program has ended it, while its library stays mapped and its threads may stay blocked. Returns false where
     * the runtime does not say.
     */
    default boolean isDestroyed() {
        return false;
    }

    /**
     * The program that runs in it with its arguments, separated by blanks: untrusted text. Empty if the runtime does not know,
     * or if it cannot be read.
     */
    default String command() {
        return "";
    }

    /** Whether the runtime generated the code at this address. Foreign code yields false, at any time. */
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

    /** The whole name of a thread that the runtime does not list, by the kernel's name of it; the same if no more is known. */
    default String wholeThreadName(String kernelsName) {
        return kernelsName;
    }

    /**
     * Whether the leaf frames of compiled code are certain: the runtime has recorded, for every instruction, which method it
     * belongs to. Otherwise inlined leaf methods are inferred.
     */
    default boolean hasCertainLeaves() {
        return true;
    }

    /** Pieces of generated code that were freed or replaced so far, as far as the walks have seen it. */
    default long supersededCode() {
        return 0;
    }

    /** Frames that were explained by code that was no longer in place. */
    default long supersededFrames() {
        return 0;
    }

    /**
     * How often the walks met an event that should be rare, by its description. Each single one is handled; many of them mean
     * that names may be wrong.
     */
    default Map<String, Long> rareEvents() {
        return Map.of();
    }
}
