package mayfly.runtime;

import java.io.IOException;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.process.KernelThreads;
import mayfly.process.Memory;

/** Finds and opens the runtimes of one kind in target processes. Stateless. */
public interface RuntimeLoader {

    /** Returns true if a file of this name is the library of a runtime of this kind. */
    boolean isLibrary(String fileName);

    /**
     * Examines the libraries of a process. A runtime has the same {@link RuntimeStart} in every examination, for the
     * life of the process.
     *
     * @param cpu the CPU that the process runs on
     * @param memory the process's memory; the caller discards its cached contents first
     * @param libraries the modules that are libraries of this kind, by address
     * @param known runtimes that were opened before, including those of other kinds; those of this kind are reused
     * @param threads the process's threads
     * @throws IOException if the process has ended, or its threads cannot be listed
     */
    Examination examine(
            Architecture cpu,
            Memory memory,
            List<? extends RuntimeModule> libraries,
            List<ManagedRuntime> known,
            KernelThreads threads)
            throws IOException;
}
