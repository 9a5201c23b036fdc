package mayfly.runtime.thread;

/**
 * The monitors for which a thread waits at the moment at which its stack is copied.
 *
 * @param pending the address of the runtime's monitor that it waits to enter; 0 if there is none
 * @param waiting the address of the runtime's monitor at which it waits, and which it has left for that time; 0 if
 *     there is none
 * @param collections the number of collections begun, which may have moved objects
 * @param isKnown false if this could not be read, or if a collection was moving objects
 */
public record MonitorState(long pending, long waiting, long collections, boolean isKnown) {
    /** The state of a thread that could not be read. */
    public static final MonitorState UNKNOWN = new MonitorState(0, 0, 0, false);
}
