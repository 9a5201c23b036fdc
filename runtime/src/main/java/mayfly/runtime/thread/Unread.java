package mayfly.runtime.thread;

/** The reason why a value of a thread could not be read. */
public enum Unread {
    /** The runtime does not describe the location of the value. */
    NOT_DESCRIBED("the runtime does not describe it"),
    /** The thread has no thread object of the language yet, or no longer has one. */
    NO_THREAD_OBJECT("the thread has no thread object"),
    /** The thread ended before it was read. */
    THREAD_GONE("the thread has ended"),
    /** The memory that should contain it cannot be read. */
    NOT_READABLE("its memory cannot be read"),
    /** The value read is invalid. */
    IMPLAUSIBLE("its data is inconsistent"),
    /** The garbage collector moved it during every attempt. */
    MOVING("it moves while it is read"),
    /** It is longer than the limit for untrusted text. */
    TOO_LONG("it is too long"),
    /** The copies of what was read so far fill the memory that there is for them. */
    NO_MEMORY("Mayfly's memory for copies is full"),
    /** The time for which threads may be stopped was over. */
    NO_TIME("the time limit of the stop was reached");

    private final String label;

    Unread(String label) {
        this.label = label;
    }

    /** Returns the reason in words for a human reader, such as {@code the thread has ended}. */
    public String label() {
        return label;
    }
}
