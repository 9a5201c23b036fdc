package mayfly.stack;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import mayfly.arch.Architecture;
import mayfly.discovery.RuntimeThreads.RuntimeThread;
import mayfly.process.TargetThread;
import mayfly.runtime.ManagedRuntime;
import mayfly.unwind.Symbolizer;
import mayfly.unwind.Walker;

/** The process whose threads are walked. A test replaces it by a script. Confined to one thread. */
interface WalkedProcess extends AutoCloseable {

    int pid();

    Architecture architecture();

    boolean isAlive();

    /** Waits for the end of the process, at most for the given time. Returns true if it has ended. */
    boolean awaitExit(int millis);

    /** Returns true if the process has called execve(2) since its runtimes were found. */
    boolean isReplaced();

    /**
     * Returns true if the library of a runtime is not mapped any more: the process is ending or calling execve(2), and
     * {@link #isReplaced()} may still return false. Reads all mappings.
     */
    boolean isLibraryGone();

    /** Returns the main class or jar, empty if unknown. */
    String mainClass();

    /** Returns the readable runtimes, by their ids. */
    List<ManagedRuntime> runtimes();

    /**
     * Returns the threads according to the kernel.
     *
     * @throws IOException if the process has ended, or its threads cannot be listed
     */
    List<TargetThread> threads() throws IOException;

    /** Returns the managed threads of all runtimes, by thread id in the process's own pid namespace. */
    Map<Integer, RuntimeThread> managedThreads();

    /** Returns the id of a thread in the process's own pid namespace. */
    int innerTid(int tid);

    /** Returns the full name of a thread that is not a Java thread, if the kernel has truncated it. */
    String wholeName(String kernelsName);

    /** Returns the CPU time that a thread has used so far, ns; -1 if the kernel does not report it. */
    long cpuNanos(int tid);

    /**
     * Discards all cached data, so that the current state is read.
     *
     * @param now CLOCK_MONOTONIC, ns
     */
    void newEpoch(long now);

    /** Discards the cached memory only. */
    void forgetMemory();

    Walker walker();

    /** Returns the names of native frames. */
    Symbolizer symbolizer();

    @Override
    void close();
}
