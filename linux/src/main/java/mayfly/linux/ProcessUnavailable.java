package mayfly.linux;

import java.io.Serializable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Thrown if a process cannot be opened; gives the reason. */
public final class ProcessUnavailable extends Exception {
    private static final long serialVersionUID = 1L;

    /** The reason why a process cannot be opened. */
    public enum Reason {
        /** No process has this id. */
        NOT_FOUND("there is no process %d"),
        /** The id denotes a thread, not a process. */
        NOT_A_PROCESS("%d is a thread of a process, not a process"),
        /** The process has exited; the kernel is removing it, or it waits for its parent. */
        ZOMBIE("process %d has exited already (zombie)"),
        /** The first thread has exited, and others have not. During an execve(2), this lasts for some milliseconds. */
        FIRST_THREAD_ENDED(
                "the first thread of process %d has ended: the process is ending, or becoming another" + " program"),
        /** A kernel thread, which has no memory of its own. */
        KERNEL_THREAD("%d is a kernel thread"),
        /** This user may not read the process, for example because it belongs to another user. */
        NOT_PERMITTED("reading process %d is not permitted"),
        /** The kernel lacks a call, or a resource is exhausted. */
        SYSTEM("the kernel did not open process %d");

        private final String sentence;

        Reason(String sentence) {
            this.sentence = sentence;
        }
    }

    /**
     * The owner of a process.
     *
     * @param uid effective user id
     * @param gid effective group id
     */
    public record Owner(int uid, int gid) implements Serializable {}

    private final int pid;
    private final Reason reason;
    private final @Nullable Owner owner;

    ProcessUnavailable(int pid, Reason reason, String detail) {
        this(pid, reason, detail, null);
    }

    ProcessUnavailable(int pid, Reason reason, String detail, @Nullable Owner owner) {
        super(String.format(reason.sentence, pid) + (detail.isEmpty() ? "" : ": " + detail), null, false, false);
        this.pid = pid;
        this.reason = reason;
        this.owner = owner;
    }

    /** Returns the owner of the process if the read may have been denied because of its owner or its capabilities. */
    public Optional<Owner> owner() {
        return Optional.ofNullable(owner);
    }

    public int pid() {
        return pid;
    }

    public Reason reason() {
        return reason;
    }
}
