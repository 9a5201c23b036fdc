package mayfly.api;

/**
 * The outcome of a request. The names are those of the .NET CLR's profiling interface. The numbers are stable, because
 * they are passed between processes. The exit code of {@code mayfly attach} is the number plus 10, unless its table of
 * exit codes has a code for the cause, such as a process that does not exist.
 */
public enum Status {
    /** Success. */
    OK(0, "done"),
    /** A failure that has no status of its own; the message gives the reason. */
    FAILED(1, "failed"),
    /** A profiler is attached, is being attached, or has not been unloaded yet. */
    PROFILER_ALREADY_ACTIVE(2, "a profiler is active"),
    /** The request is not permitted to an attached profiler, or this runtime does not support it. */
    UNSUPPORTED_FOR_ATTACHING_PROFILER(3, "not available to an attached profiler"),
    /** The setting can only be chosen at launch, or it is in effect and prevents a detach. */
    IMMUTABLE_FLAGS(4, "the setting can only be chosen at launch"),
    /** The profiler is being detached; calls to the runtime fail. */
    PROFILER_DETACHING(5, "the profiler is being detached"),
    /** The profiler's initialisation has not returned yet. */
    NOT_YET_INITIALIZED(6, "the profiler is not initialised yet"),
    /** Code was rewritten and cannot be restored. */
    IRREVERSIBLE_INSTRUMENTATION(7, "code was changed irreversibly"),
    /** The profiler declined this runtime. This is information, not an error. */
    PROFILER_CANCEL_ACTIVATION(8, "the profiler declined"),
    /** The time-out has expired. The operation may still succeed later: {@code mayfly status} reports the outcome. */
    TIMEOUT(9, "timed out; the outcome is unknown"),
    /** The process contains no runtime, or the runtime has not started. */
    RUNTIME_NOT_LOADED(10, "no started JVM"),
    /** The process is stopped, or suspended by a debugger, and does not respond. */
    RUNTIME_SUSPENDED(11, "the JVM is suspended"),
    /** The attach was refused; the message gives the reason. */
    ATTACH_REFUSED(12, "refused"),
    /** A subscribed event needs JVMTI, which slows virtual threads for the rest of the process's life. */
    LASTING_COST_NOT_ACCEPTED(13, "a lasting cost was not accepted"),
    /** The profiler's callback stopped the walk. */
    STACK_SNAPSHOT_ABORTED(14, "the walk was stopped by its callback"),
    /** The thread cannot be walked safely now. */
    STACK_SNAPSHOT_UNSAFE(15, "the thread cannot be walked now"),
    /** The walk would begin in code that the runtime cannot skip. */
    STACK_SNAPSHOT_UNMANAGED_CONTEXT(16, "the walk would begin in native code"),
    /** The thread has ended. */
    THREAD_GONE(17, "the thread has ended"),
    /** No profiler is attached. */
    NO_PROFILER(18, "no profiler is attached"),
    /** The id is unknown, is no longer valid, or belongs to another runtime. */
    UNKNOWN_ID(19, "no such id"),
    /** All available frames were reported, but the stack is deeper. */
    STACK_SNAPSHOT_TRUNCATED(20, "the stack is deeper than what was reported");

    private final int number;
    private final String meaning;

    Status(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    /** Returns the stable number. */
    public int number() {
        return number;
    }

    /** Returns a short description. */
    public String meaning() {
        return meaning;
    }

    /** Returns the status with a number; {@link #FAILED} for an unknown number, such as one of a newer version. */
    public static Status of(int number) {
        for (Status status : values()) {
            if (status.number == number) {
                return status;
            }
        }
        return FAILED;
    }
}
