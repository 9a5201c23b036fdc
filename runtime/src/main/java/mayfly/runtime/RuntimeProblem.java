package mayfly.runtime;

/**
 * The reason why a runtime cannot be read.
 *
 * @param reason its kind
 * @param message the details, without the process
 * @param version the version of the runtime, empty if it could not be read: untrusted text
 */
public record RuntimeProblem(Reason reason, String message, String version) {

    /** The kinds of reasons. */
    public enum Reason {
        /** The library's symbols cannot be read: its file is gone, or may not be read. */
        NO_SYMBOLS,
        /**
         * The library is not of the runtime that its name indicates, or was built without data that is needed to read
         * it.
         */
        OTHER_RUNTIME,
        /** The runtime has not initialised itself yet; it may become readable in a moment. */
        STARTING,
        /** The runtime is older than the oldest supported version. */
        TOO_OLD,
        /** A structure that is needed is missing, or its values contradict each other. */
        INCONSISTENT
    }
}
