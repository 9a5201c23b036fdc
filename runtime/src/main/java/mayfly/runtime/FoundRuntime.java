package mayfly.runtime;

import org.jspecify.annotations.Nullable;

/**
 * The library of a runtime in a process, and the runtime that was started in it.
 *
 * @param module the library
 * @param kind the name of the runtime's product, such as {@code HotSpot}
 * @param runtime the runtime; null if none was started in the library, or if it cannot be read
 * @param problem the reason why there is no {@code runtime}; null if there is one
 * @param mayHaveStarted true if a runtime runs or ran in the library, or if this cannot be excluded
 */
public record FoundRuntime(
        RuntimeModule module,
        String kind,
        @Nullable ManagedRuntime runtime,
        @Nullable RuntimeProblem problem,
        boolean mayHaveStarted) {

    /**
     * Returns one line that identifies the runtime: {@link ManagedRuntime#line}, or kind and address if it cannot be
     * read.
     */
    public String line() {
        ManagedRuntime of = runtime;
        return of == null ? kind + " at 0x" + Long.toHexString(module.start()) : of.line();
    }

    /** Returns the reason why it cannot be read, in words; empty if it can. */
    public String problemText() {
        RuntimeProblem why = problem;
        return why == null ? "" : why.message();
    }
}
