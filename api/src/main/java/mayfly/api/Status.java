package mayfly.api;

/**
 * What became of a request. The names are those of the contract that the .NET CLR made for its profilers; the numbers are
 * stable: they cross the process's border, and {@code mayfly attach} exits with ten more.
 */
public enum Status {
    /** Done. */
    OK(0, "done"),
    /** Failed in a way that no other status names; the message says how. */
    FAILED(1, "failed"),
    /** A profiler is attached, is being attached, or is not gone yet. */
    PROFILER_ALREADY_ACTIVE(2, "a profiler is active"),
    /** An attached profiler may not have this, or not in this runtime. */
    UNSUPPORTED_FOR_ATTACHING_PROFILER(3, "not for a profiler that was attached"),
    /** It can only be chosen at launch, or it is in force and stands against a detach. */
    IMMUTABLE_FLAGS(4, "can only be chosen at launch"),
    /** The profiler is being detached: no call into the runtime is answered any more. */
    PROFILER_DETACHING(5, "the profiler is being detached"),
    /** The profiler's initialisation has not returned yet. */
    NOT_YET_INITIALIZED(6, "the profiler is not initialised yet"),
    /** Code was rewritten and cannot be restored. */
    IRREVERSIBLE_INSTRUMENTATION(7, "code was changed for good"),
    /** The profiler declined this runtime. Information, not an error. */
    PROFILER_CANCEL_ACTIVATION(8, "the profiler declined"),
    /** The time given was over. What had begun may still succeed: {@code mayfly status} tells. */
    TIMEOUT(9, "timed out; the outcome is unknown"),
    /** The process has no runtime, or it has not started. */
    RUNTIME_NOT_LOADED(10, "no started JVM"),
    /** The process is stopped, or a debugger has suspended it: it answers nobody. */
    RUNTIME_SUSPENDED(11, "the JVM is suspended"),
    /** Nothing was attached, and the message says why. */
    ATTACH_REFUSED(12, "refused"),
    /** An event that was asked for needs JVMTI, which slows virtual threads for the rest of the process's life. */
    LASTING_COST_NOT_ACCEPTED(13, "a lasting cost was not accepted"),
    /** The profiler's callback stopped the walk. */
    STACK_SNAPSHOT_ABORTED(14, "the walk was stopped by its callback"),
    /** The thread cannot be walked safely now. */
    STACK_SNAPSHOT_UNSAFE(15, "the thread cannot be walked now"),
    /** The walk would have to begin in code that the runtime cannot skip. */
    STACK_SNAPSHOT_UNMANAGED_CONTEXT(16, "the walk would begin in native code"),
    /** The thread has ended. */
    THREAD_GONE(17, "the thread has ended"),
    /** There is no profiler to ask. */
    NO_PROFILER(18, "no profiler is attached"),
    /** The id does not name anything (any more), or belongs to another runtime. */
    UNKNOWN_ID(19, "no such id"),
    /** All frames that could be had were reported, and the stack is deeper. */
    STACK_SNAPSHOT_TRUNCATED(20, "the stack is deeper than what was reported");

    private final int number;
    private final String meaning;

    Status(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    /** The stable number. */
    public int number() {
        return number;
    }

    /** A few words for people. */
    public String meaning() {
        return meaning;
    }

    /** The status of a number; {@link #FAILED} if a newer version has sent one that this one does not know. */
    public static Status of(int number) {
        for (Status status : values()) {
            if (status.number == number) {
                return status;
            }
        }
        return FAILED;
    }
}
