package mayfly.process;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The threads of a process, as currently reported by the kernel. */
public interface KernelThreads {

    /**
     * Returns all threads, read again at each call. A thread that ends meanwhile is omitted.
     *
     * @throws IOException if the process has ended, or its threads cannot be listed
     */
    List<TargetThread> threads() throws IOException;

    /**
     * Returns the thread whose id in its innermost pid namespace is {@code tid}, or null if there is none.
     *
     * @throws IOException if the process has ended, or its threads cannot be listed
     */
    @Nullable
    TargetThread threadByInnermostTid(int tid) throws IOException;

    /** Returns the current time on the clock of {@link TargetThread#startTicks()}. */
    long nowTicks();
}
