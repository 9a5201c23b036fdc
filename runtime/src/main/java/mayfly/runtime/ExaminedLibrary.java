package mayfly.runtime;

import mayfly.profile.RuntimeId;
import org.jspecify.annotations.Nullable;

/** A library of a runtime in a process. The runtime in it is opened after the runtimes of all kinds are numbered. */
public interface ExaminedLibrary {

    /** Returns the start of the runtime; null if no runtime is known to have been started in this library. */
    @Nullable
    RuntimeStart start();

    /**
     * Opens the runtime, or returns the one that was opened before.
     *
     * @param id the id of the runtime; null if {@link #start} is null, and then the result has no runtime
     */
    FoundRuntime open(@Nullable RuntimeId id);
}
