package mayfly.runtime;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.runtime.collection.Collections;
import mayfly.runtime.suspension.Suspensions;
import mayfly.runtime.thread.AllocationCalls;
import mayfly.runtime.thread.AllocationCounters;
import mayfly.runtime.thread.FrameMonitor;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.MonitorState;
import mayfly.runtime.thread.UnmountedThreads;
import mayfly.runtime.thread.Unread;

/**
 * One managed runtime in a target process: its generated code, its frames, its threads.
 *
 * <p>The runtime continues to run while it is read. An implementation checks that the data of a frame is valid for the
 * time of the sample; if it is not, the step returns the reason as its outcome. Confined to one thread.
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
     * Returns one line that identifies it, such as {@code r1 HotSpot 25.0.3+9-LTS at 0x7f5d40000000}: id, kind,
     * version, the address of its library, and a remark if it has been destroyed.
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

    /**
     * Returns true if an address lies in the memory for code that the runtime generates. Never returns true for other
     * code. Returns false for a runtime that generates no code, such as an interpreter.
     */
    default boolean owns(long pc) {
        return false;
    }

    /**
     * Returns the code that the runtime has generated at an address, as of now: a method with those inlined at that
     * instruction, innermost first, or a stub for code that is not a method. Empty if the address is not in code of
     * this runtime, or if the runtime is just freeing or replacing that code.
     */
    default List<Frame> codeAt(long address) {
        return List.of();
    }

    /** Returns true if a mapped file is the library of the runtime itself. Its native frames are then VM frames. */
    boolean isLibrary(String path, long start);

    /**
     * Moves the cursor from a frame in this runtime's code to its caller and reports the frames at the cursor, leaf
     * first: none, one, or several if methods were inlined. Called only at a program counter that the runtime owns.
     *
     * @throws UnsupportedOperationException if the runtime generates no code
     */
    default Step step(FrameCursor cursor, FrameSink sink) {
        throw new UnsupportedOperationException(line() + " owns no code");
    }

    /**
     * Returns the native functions at which the runtime inserts managed frames, such as the evaluator of an
     * interpreter. The walker calls {@link #interpose} only at frames of these functions. It calls this method when it
     * is created, and once in each later epoch, after {@link #newEpoch}.
     */
    default List<AddressRange> interposedCode() {
        return List.of();
    }

    /**
     * Reports the managed frames that a native frame represents, leaf first. The cursor is at a frame in {@link
     * #interposedCode()} and remains there: the walker steps over it as over any native frame. An interpreter may keep
     * data on the native stack: the data between the stack pointer and {@code frameEnd} belongs to this frame.
     *
     * <p>If a runtime cannot read the frames, it reports none, counts a {@linkplain #rareEvents() rare event}, and
     * returns false, so that the walk contains the native frame.
     *
     * @param frameEnd the first address above the frame, which is the caller's stack pointer; untrusted, and equal to
     *     the frame's own stack pointer if it is not known
     * @return true if the reported frames replace the native frame; if false, the native frame is reported
     */
    default boolean interpose(FrameCursor cursor, long frameEnd, FrameSink sink) {
        return false;
    }

    /**
     * Begins a new epoch: cached data on code that can be freed must be confirmed before it is used again. Does nothing
     * for a runtime that caches no such data.
     *
     * @param nowNanos CLOCK_MONOTONIC, ns
     */
    default void newEpoch(long nowNanos) {}

    /**
     * Sets the registers to the last managed frame of a thread that is in native code, as the runtime recorded it when
     * the thread left managed code. Used for a thread that waits in native code whose frames cannot be stepped over.
     *
     * @param handle the runtime's structure for the thread, from {@link #threads()}
     * @return false if the thread has not left managed code, or if the runtime does not record this
     * @throws MemoryFault if the runtime's structure for the thread cannot be read
     */
    default boolean lastManagedFrame(long handle, Registers into) throws MemoryFault {
        return false;
    }

    /**
     * Returns its current threads.
     *
     * @throws MemoryFault if they cannot be read
     */
    List<ManagedThread> threads() throws MemoryFault;

    /**
     * Returns true if it may have threads that no thread of the kernel runs at the moment, such as Java's unmounted
     * virtual threads. {@link #threads()} never lists them.
     *
     * @param infos returns the data on one of its threads; a caller that has read them all returns what it has read
     */
    default boolean mayHaveUnmountedThreads(Function<ManagedThread, ManagedThreadInfo> infos) {
        return false;
    }

    /**
     * Prepares a reading of the threads that no thread of the kernel runs. Empty if the runtime has had none so far.
     *
     * @param maxBytes upper bound on the bytes that it copies
     */
    default Optional<UnmountedThreads> unmountedThreads(long maxBytes) {
        return Optional.empty();
    }

    /**
     * Returns the current data on one of its threads. A value that cannot be read is null or UNKNOWN, and the result
     * contains the reason. Never throws.
     *
     * @param thread one of {@link #threads()}; it may have ended since
     */
    ManagedThreadInfo info(ManagedThread thread);

    /**
     * Returns the current activity of one of its threads, in less time than {@link #info}; UNKNOWN if it cannot be
     * read. Never throws.
     *
     * @param thread one of {@link #threads()}; it may have ended since
     */
    default ManagedThreadState state(ManagedThread thread) {
        return info(thread).state();
    }

    /**
     * Returns the lock for which one of its threads waits now. Never throws.
     *
     * @param thread one of {@link #threads()}; it may have ended since
     */
    default LockWait lockWait(ManagedThread thread) {
        return LockWait.NONE;
    }

    /**
     * Returns the owners of the locks for which threads wait, at about one moment. The owner of a lock for which its
     * thread does not wait any more is unknown. Never throws.
     *
     * @param waits for each thread, a result of {@link #lockWait}
     */
    default Map<ManagedThread, LockOwner> lockOwners(Map<ManagedThread, LockWait> waits) {
        return Map.of();
    }

    /** Prepares {@link #monitorState}, before any thread is stopped for it. Never throws. */
    default void prepareMonitors() {}

    /**
     * Returns the monitors for which one of its threads waits at this moment, for {@link #monitors}. The thread does
     * not run meanwhile. Takes a few microseconds. Never throws.
     *
     * @param thread one of {@link #threads()}; it may have ended since
     */
    default MonitorState monitorState(ManagedThread thread) {
        return MonitorState.unread(Unread.NOT_DESCRIBED);
    }

    /**
     * Returns the monitors that the frames at a cursor have entered, those of the innermost method first, and in each
     * method the one entered last first. A monitor that the thread waits to enter is omitted. The cursor remains.
     * Called only at a program counter that the runtime owns. The monitors of compiled code that was interrupted at
     * another place than a call are not known, and not among them.
     *
     * @param state the monitors of the thread at the moment at which its stack was copied
     */
    default List<FrameMonitor> monitors(FrameCursor cursor, MonitorState state) {
        return List.of();
    }

    /**
     * Returns its suspensions of all threads. Empty if it records none, or if this version does not know the record.
     */
    default Optional<Suspensions> suspensions() {
        return Optional.empty();
    }

    /**
     * Returns the pauses of its collectors. Empty if it does not count them, or if this version does not know the
     * counters.
     */
    default Optional<Collections> collections() {
        return Optional.empty();
    }

    /** Returns the bytes that its threads have allocated. Empty if this version does not describe them. */
    default Optional<AllocationCounters> allocationCounters() {
        return Optional.empty();
    }

    /**
     * Returns the native functions that it calls for allocations. Empty if it has none, or if their addresses are not
     * known.
     */
    default Optional<AllocationCalls> allocationCalls() {
        return Optional.empty();
    }

    /**
     * Returns the full name of a thread that the runtime does not list, derived from the truncated name in the kernel.
     * Returns the kernel's name if the full name is unknown.
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

    /** Returns the number of times that a walk detected that generated code had been freed or replaced. */
    default long supersededCode() {
        return 0;
    }

    /** Returns the number of frames that were decoded with a retained copy of code that had been freed or replaced. */
    default long supersededFrames() {
        return 0;
    }

    /**
     * Returns the number of occurrences of each rare event, by its description. Each occurrence is handled; a large
     * number indicates that names may be wrong.
     */
    default Map<String, Long> rareEvents() {
        return Map.of();
    }
}
