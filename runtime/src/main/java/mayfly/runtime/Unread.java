package mayfly.runtime;

/** Why something of a thread could not be read. */
public enum Unread {
    /** The runtime does not say where it keeps it. */
    NOT_DESCRIBED("the runtime does not describe it"),
    /** The thread has no object of the language yet, or has it no longer. */
    NO_THREAD_OBJECT("the thread has no thread object"),
    /** The thread ended before it was read. */
    THREAD_GONE("the thread has ended"),
    /** The memory that should hold it cannot be read. */
    NOT_READABLE("its memory cannot be read"),
    /** What is there cannot be it. */
    IMPLAUSIBLE("what is there contradicts itself"),
    /** The collector moved it each time it was read. */
    MOVING("it moves while it is read"),
    /** It is longer than what is read of untrusted text. */
    TOO_LONG("it is too long");

    private final String label;

    Unread(String label) {
        this.label = label;
    }

    /** The reason in words for a reader, such as {@code the thread has ended}. */
    public String label() {
        return label;
    }
}
