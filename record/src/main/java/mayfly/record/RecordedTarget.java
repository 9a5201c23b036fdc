package mayfly.record;

import java.util.List;
import mayfly.arch.Architecture;
import mayfly.discovery.CommandLine;
import mayfly.runtime.ManagedRuntime;
import mayfly.unwind.Walker;

/** The process of a recording, as the session and its {@link Recorder} use it. Confined to one thread. */
interface RecordedTarget extends AutoCloseable {

    Architecture architecture();

    /** Returns true if this session starts the process. */
    boolean isSpawned();

    /**
     * Starts the program of a spawned process.
     *
     * @param begun runs before the first instruction of the program
     */
    void start(Runnable begun);

    /** Returns true if the memory of the process remains readable after its end. */
    boolean isHeld();

    /** Returns the command line and the main class. */
    CommandLine commandLine();

    /** Returns the readable runtimes found so far, by their ids. */
    List<ManagedRuntime> runtimes();

    /** Looks for runtimes in files mapped since the last look. Returns true if there are more than before. */
    boolean lookAgain();

    /** Returns true if the library of a runtime is mapped, but no runtime in it has been opened so far. */
    boolean hasUnknownLibrary();

    /** Returns true if a runtime is starting, according to the last look. */
    boolean isStarting();

    /** Returns true if the process has called execve(2) since its runtimes were found. */
    boolean isReplaced();

    /** Returns true if none of the data of the process can be read any more. */
    boolean isEnded();

    /**
     * Returns true if a thread still runs, and is the one that had this id at a time.
     *
     * @param time CLOCK_MONOTONIC, ns
     */
    boolean isStillRunning(int tid, long time);

    /** Detects an execve(2) of a spawned process, and retains the former program until {@link #drained}. */
    void followExec();

    /** Records the end of a drain. */
    void drained();

    /**
     * Discards the cached data, so that the current state is read.
     *
     * @param now CLOCK_MONOTONIC, ns
     */
    void newEpoch(long now);

    /** Returns the number of pieces of generated code that were freed or replaced so far. */
    long supersededCode();

    /**
     * Returns the walker for a sample.
     *
     * @param time CLOCK_MONOTONIC of the sample, ns
     */
    Walker walkerAt(long time);

    @Override
    void close();
}
