package mayfly.runtime;

/**
 * The reason why a runtime cannot be read.
 *
 * @param reason its kind
 * @param message the details; does not name the process
 * @param version the version of the runtime, empty if it could not be read: untrusted text
 */
public record RuntimeProblem(Reason reason, String message, String version) {

    /** The kinds of reasons. */
    public enum Reason {
        /** The library's symbols cannot be read: its file does not exist any more, or read permission is missing. */
        NO_SYMBOLS,
        /** The library does not belong to the runtime that its name indicates, or was built without required data. */
        OTHER_RUNTIME,
        /** The process uses a C library for which the runtime is not supported. */
        OTHER_C_LIBRARY,
        /** The runtime has not initialised itself yet; it may become readable in a moment. */
        STARTING,
        /** The runtime is older than the oldest supported version. */
        TOO_OLD,
        /** The runtime runs on a CPU whose frames its reader does not support. */
        OTHER_CPU,
        /** A structure that is needed is missing, or its values contradict each other. */
        INCONSISTENT
    }
}
