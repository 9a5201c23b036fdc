package mayfly.runtime;

import java.io.IOException;
import java.util.List;
import mayfly.process.KernelThreads;
import mayfly.process.Memory;

/** Finds and opens the runtimes of one kind in traced processes. Has no state. */
public interface RuntimeLoader {

    /** Whether a file of this name is the library of a runtime of this kind. */
    boolean isLibrary(String fileName);

    /**
     * Opens the runtimes of a process. A runtime gets the same id each time, for the life of the process.
     *
     * @param memory the process's memory; its caller makes it forget what it read before
     * @param libraries the modules that are libraries of this kind, by address
     * @param known runtimes that were opened before, also of other kinds; those of this kind are used again
     * @param threads the process's threads
     * @param numbered how many runtimes of other kinds have lower ids
     * @return one for each library, in the order of {@code libraries}
     * @throws IOException if the process has ended, or its threads cannot be listed
     */
    List<FoundRuntime> open(Memory memory, List<? extends RuntimeModule> libraries, List<ManagedRuntime> known,
            KernelThreads threads, int numbered) throws IOException;
}
