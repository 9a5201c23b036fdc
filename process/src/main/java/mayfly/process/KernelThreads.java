package mayfly.process;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The threads of a process as the kernel has them now. */
public interface KernelThreads {

    /** All of them, read anew at each call. A thread that goes away meanwhile is left out. */
    List<TargetThread> threads() throws IOException;

    /** One thread by the id that it has in its own pid namespace, the innermost; null if there is none. */
    @Nullable TargetThread threadByInnermostTid(int tid) throws IOException;

    /** The time now on the clock of {@link TargetThread#startTicks()}. */
    long nowTicks();
}
