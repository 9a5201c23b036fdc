package mayfly.runtime;

import org.jspecify.annotations.Nullable;

/**
 * A runtime's library in a process, and the runtime in it.
 *
 * @param module the library
 * @param kind the name of the runtime's product, such as {@code HotSpot}
 * @param runtime the runtime; null if none was started in the library, or if it cannot be read
 * @param problem the reason why there is no {@code runtime}; null if there is one
 * @param mayHaveStarted whether a runtime runs in it or ran in it, or may do so as far as can be seen
 */
public record FoundRuntime(RuntimeModule module, String kind, @Nullable ManagedRuntime runtime,
                           @Nullable RuntimeProblem problem, boolean mayHaveStarted) {

    /** One line that names it: the runtime's own, or its kind and address if it cannot be read. */
    public String line() {
        ManagedRuntime of = runtime;
        return of == null ? kind + " at 0x" + Long.toHexString(module.start()) : of.line();
    }

    /** The reason why it cannot be read, in words; empty if it can. */
    public String problemText() {
        RuntimeProblem why = problem;
        return why == null ? "" : why.message();
    }
}
