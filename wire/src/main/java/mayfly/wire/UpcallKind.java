package mayfly.wire;

/** The calls from the library to its Java half. The host's record shows these numbers. */
public final class UpcallKind {
    public static final int INITIALIZE = 0;
    public static final int COMMAND = 1;
    public static final int DETACH_REQUESTED = 2;
    public static final int DETACH_SUCCEEDED = 3;
    public static final int PINNING_THREAD = 4;
    public static final int THREAD_CREATED = 5;
    public static final int THREAD_DESTROYED = 6;
    public static final int CLASS_LOADED = 7;
    /** No longer used: unloaded classes are detected after a collection. */
    public static final int CLASS_UNLOADED = 8;

    public static final int GC_STARTED = 9;
    public static final int GC_FINISHED = 10;
    public static final int METHOD_COMPILED = 11;
    public static final int METHOD_UNLOADED = 12;
    public static final int RUNTIME_SUSPENDED = 13;
    public static final int FORGET = 14;
    public static final int DETACH_FORCED = 15;
    public static final int EXCEPTION_THROWN = 16;
    public static final int EXCEPTION_CAUGHT = 17;
    /** A line of the JVM's log, of a {@link LogTopic}. */
    public static final int LOG_LINE = 18;
    /** All lines of the log that have been read so far have been delivered. */
    public static final int LOG_READ = 19;

    public static final int ALLOCATION_SAMPLED = 20;
    public static final int CONTENTION_STARTED = 21;
    public static final int CONTENTION_FINISHED = 22;
    public static final int WAIT_STARTED = 23;
    public static final int WAIT_FINISHED = 24;
    public static final int WAIT_TIMED_OUT = 25;
    /** A tick of the profiler's timer. */
    public static final int TIMER = 26;

    public static final int CLASS_LOAD_STARTED = 27;
    /** A class that has probes is redefined: asks for its class file with probes. */
    public static final int CLASS_REDEFINED = 28;
    /** The time of a look at the threads, for polled events. */
    public static final int POLL = 29;

    public static final int VIRTUAL_THREAD_STARTED = 30;
    public static final int VIRTUAL_THREAD_ENDED = 31;
    /** The number of kinds. */
    public static final int COUNT = 32;

    private UpcallKind() {}
}
