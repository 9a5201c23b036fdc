package mayfly.wire.life;

import java.util.Set;

/**
 * The life of a hosted profiler: each state, its properties, and the states that may follow. This is the only table.
 * {@link mayfly.wire.Header} writes it for the library, whose {@code life.c} alone changes the state. The Java half has
 * fewer states, because it does not see those before its first and after its last call; its test compares them with
 * this table. No class of this package is loaded in a target.
 */
public enum HostLife {
    /** The record and the channel are open, and the request to attach has not arrived. */
    OPENED(HostState.INITIALIZING, "NONE", false, true),
    /** The Java half starts, and the profiler initialises itself. */
    INITIALIZING(HostState.INITIALIZING, "INITIALIZING", false, true),
    /** Events reach the profiler, and it may call its runtime. */
    ACTIVE(HostState.ACTIVE, "ACTIVE", true, true),
    /** A client has forced a detach, and the host's thread has not processed that request. No callback begins. */
    FORCED(HostState.DETACHING, "ACTIVE", false, true),
    /** A detach has been requested, and the host's thread has not begun the rundown. */
    DETACHING(HostState.DETACHING, "DETACHING", false, true),
    /**
     * The rundown: the host waits until no callback or call of the profiler is running and no thread has its code on
     * the stack.
     */
    RUNDOWN(HostState.DETACHING, "DETACHING", false, true),
    /** The Java half and the JVMTI environment are released, and a collection must show that nothing remains. */
    RELEASED(HostState.DETACHING, "DETACHING", false, false),
    /** Nothing of the profiler remains. The channel sends its pending output and ends. */
    GONE(HostState.DETACHING, "DETACHING", false, false);

    /**
     * The state that other processes see in the record. {@link HostState#PINNED} replaces it while a retainer is known.
     */
    public final int published;
    /** The name of the state that the Java half has. If its start failed, there is no Java half. */
    public final String javaHalf;
    /** True if a callback of the profiler may begin. */
    public final boolean admitsCallbacks;
    /** True if a thread may begin to use the JVMTI environment. */
    public final boolean hasEnvironment;

    HostLife(int published, String javaHalf, boolean admitsCallbacks, boolean hasEnvironment) {
        this.published = published;
        this.javaHalf = javaHalf;
        this.admitsCallbacks = admitsCallbacks;
        this.hasEnvironment = hasEnvironment;
    }

    /** Returns the states that may follow this one. */
    public Set<HostLife> next() {
        return switch (this) {
            case OPENED -> Set.of(INITIALIZING, GONE);
            case INITIALIZING -> Set.of(ACTIVE, RUNDOWN);
            case ACTIVE -> Set.of(FORCED, DETACHING);
            case FORCED -> Set.of(DETACHING);
            case DETACHING -> Set.of(RUNDOWN);
            case RUNDOWN -> Set.of(RELEASED);
            case RELEASED -> Set.of(GONE);
            case GONE -> Set.of();
        };
    }
}
