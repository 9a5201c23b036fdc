package mayfly.profile;

/** How the walk of one stack ended. Every walk ends in exactly one of these. */
public enum WalkOutcome {
    /** The walk reached the thread's first frame. */
    COMPLETE("complete"),
    /** So many frames that the walk ended before the thread's first one, at the limit for every walk. */
    TRUNCATED("truncated"),
    /**
     * The walk reached the thread's first frame, past more frames than the limit; those in the middle are left out, and
     * a {@link Frame.Omitted} stands for them.
     */
    SHORTENED("shortened"),
    /**
     * The walk reached the thread's first frame, but a part of the stack was neither copied nor saved at the sample. It
     * was read later, while the thread ran on: the frames next to the root may belong to another call. Or the walk
     * skipped the middle of a deep stack, to frames that an earlier walk of the thread had found next to its root.
     */
    UNPROVEN("unproven"),
    /** The kernel gave no 64-bit user registers: the thread runs 32-bit code, or is looked at where it has none. */
    NO_USER_CONTEXT("no_user_context"),
    /** A part of the stack could not be read. */
    STACK_UNREADABLE("stack_unreadable"),
    /** The stack beyond the copied part had changed before it could be read. */
    STACK_CHANGED("stack_changed"),
    /** A program counter outside all known code. */
    UNKNOWN_CODE("unknown_code"),
    /** Native code without call-frame information for this address, or code that a runtime generated which cannot be read yet. */
    NO_CFI("no_cfi"),
    /**
     * The walk of a deep stack ended before the thread's first frame, because such walks had used their share of CPU time,
     * and the thread's root was not known from an earlier walk.
     */
    ROOT_NOT_WALKED("root_not_walked"),
    /** Call-frame information that needs a register whose value is not known. */
    UNKNOWN_REGISTER("unknown_register"),
    /** Call-frame information that is malformed or of an unknown kind. */
    BAD_CFI("bad_cfi"),
    /** What should be a return address cannot be one. */
    IMPLAUSIBLE_RETURN_ADDRESS("implausible_return_address"),
    /** A walk that does not move towards the root. */
    NO_PROGRESS("no_progress"),
    /** Compiled code that was freed or replaced between the sample and the walk. */
    STALE_CODE("stale_code"),
    /** An interpreter frame whose method could not be confirmed. */
    BAD_INTERPRETER_FRAME("bad_interpreter_frame"),
    /** A code blob, method or scope that is torn or absurd. */
    BAD_METADATA("bad_metadata"),
    /** The thread ended before it could be walked, or before the part of its stack was read that was not copied. */
    THREAD_GONE("thread_gone"),
    /** The process ended, and its memory with it, before the stack could be walked. */
    TARGET_ENDED("target_ended"),
    /** The process became another program by execve(2) before the stack could be walked, which took its memory away. */
    PROGRAM_REPLACED("program_replaced");

    private final String id;

    WalkOutcome(String id) {
        this.id = id;
    }

    /** The word used in captures, reports and {@code [broken:…]} frames. Never changes. */
    public String id() {
        return id;
    }

    /** Whether frames towards the root are missing for a reason other than the depth limit. */
    public boolean isBroken() {
        return this != COMPLETE && this != TRUNCATED && this != SHORTENED && this != UNPROVEN;
    }
}
