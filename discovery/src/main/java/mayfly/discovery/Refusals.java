package mayfly.discovery;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import mayfly.discovery.SessionRefused.Reason;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessUnavailable;
import mayfly.linux.perf.PerfUnavailable;
import mayfly.linux.perf.Probe;
import mayfly.linux.proc.Permissions;
import mayfly.runtime.RuntimeProblem;
import org.jspecify.annotations.Nullable;

/** Turns errors of lower modules into a {@link SessionRefused} with advice for the user. */
public final class Refusals {
    private static final int DYING_MILLIS = 300;

    private Refusals() {
    }

    /**
     * Opens a process.
     *
     * @throws SessionRefused if there is no process with this id, or if it may not be inspected
     */
    public static LiveProcess open(int pid) throws SessionRefused {
        try {
            return LiveProcess.open(pid);
        } catch (ProcessUnavailable e) {
            throw of(e);
        }
    }

    static SessionRefused of(ProcessUnavailable e) {
        return switch (e.reason()) {
            case NOT_FOUND, NOT_A_PROCESS -> new SessionRefused(Reason.NO_SUCH_PROCESS, text(e),
                    "mayfly ps lists the JVMs there are");
            case ZOMBIE -> new SessionRefused(Reason.ZOMBIE, text(e), "");
            case KERNEL_THREAD -> new SessionRefused(Reason.NOT_A_JVM, text(e), "");
            case NOT_PERMITTED -> new SessionRefused(Reason.NOT_PERMITTED, text(e),
                    "mayfly doctor " + e.pid() + " says what would permit it");
            case SYSTEM -> new SessionRefused(Reason.UNSUPPORTED_KERNEL, text(e), "");
        };
    }

    /**
     * Requires that the memory of a process can be read, which every sampling method needs.
     *
     * @throws SessionRefused if it may not be read
     */
    static void requireReadable(int pid) throws SessionRefused {
        Probe memory = Probe.readMemory(pid);
        // ESRCH: the process has ended. EFAULT: its memory may be read, but it has called execve(2) meanwhile. Both are
        // reported later.
        if (!memory.works() && !memory.errno().equals("ESRCH") && !memory.errno().equals("EFAULT")) {
            throw notPermitted(pid, "its memory may not be read: process_vm_readv: " + memory.errno());
        }
    }

    /** Returns a refusal that names the settings that may be the cause. */
    public static SessionRefused notPermitted(int pid, String what) {
        String settings;
        try {
            settings = Permissions.read().ptraceSettings();
        } catch (IOException e) {
            settings = "";
        }
        return new SessionRefused(Reason.NOT_PERMITTED,
                "process " + pid + ": " + what + (settings.isEmpty() ? "" : "; " + settings),
                "mayfly doctor " + pid + " says what would permit it");
    }

    /** Returns the refusal for a process that no collector can sample. */
    public static SessionRefused noCollector(int pid, List<String> notes, List<SessionRefused> refusals) {
        if (refusals.size() == 1) {
            return refusals.getFirst();
        }
        boolean notPermitted = refusals.stream().anyMatch(refusal -> refusal.reason() == Reason.NOT_PERMITTED);
        return new SessionRefused(notPermitted ? Reason.NOT_PERMITTED : refusals.getLast().reason(),
                "there is no way to sample process " + pid + " here",
                String.join("\n", notes) + "\nmayfly doctor " + pid + " says what would permit it");
    }

    public static SessionRefused unreadable(LiveProcess process, IOException e) {
        int pid = process.pid();
        if (e instanceof NoSuchFileException || process.isEnding(DYING_MILLIS)) {
            return gone(pid);
        }
        return new SessionRefused(Reason.NOT_PERMITTED, "process " + pid + " cannot be read: " + text(e),
                "mayfly doctor " + pid + " says what would permit it");
    }

    /**
     * Returns the refusal for an error at the start of a capture. The error is of the capture's file, or of reading the
     * target for its header; the latter means that the target has ended.
     */
    public static SessionRefused unprepared(LiveProcess process, Path captureFile, IOException e) {
        return process.isEnding(DYING_MILLIS) ? gone(process.pid())
                : new SessionRefused(Reason.OUTPUT, captureFile + " cannot be written: " + text(e), "");
    }

    private static SessionRefused gone(int pid) {
        return new SessionRefused(Reason.TARGET_GONE, "process " + pid + " has ended", "");
    }

    static SessionRefused replaced(LiveProcess process) {
        return new SessionRefused(Reason.TARGET_GONE, "process " + process.pid()
                + " became another program while it was looked at", "");
    }

    /**
     * Returns the refusal for a process without a readable runtime.
     *
     * @param problem the problem of its runtime, null if no runtime's library is mapped
     */
    public static SessionRefused noRuntime(LiveProcess process, @Nullable RuntimeProblem problem) {
        String who = "process " + process.pid();
        // A process releases its memory some time before it ends.
        boolean isDying = problem != null && problem.reason() != RuntimeProblem.Reason.NO_SYMBOLS
                ? problem.reason() == RuntimeProblem.Reason.INCONSISTENT : hasNoMemory(process);
        if (!process.isAlive() || isDying && process.isEnding(DYING_MILLIS)) {
            return new SessionRefused(Reason.TARGET_GONE, who + " has ended", "");
        }
        if (problem != null) {
            return switch (problem.reason()) {
                case STARTING -> new SessionRefused(Reason.JVM_STARTING, who + " is a JVM that is still starting",
                        "try again in a moment; mayfly run profiles a program from its start");
                case OTHER_RUNTIME -> new SessionRefused(Reason.UNSUPPORTED_VM,
                        who + " runs a JVM that is not HotSpot: " + problem.message(), "");
                case TOO_OLD -> new SessionRefused(Reason.UNSUPPORTED_VM, who + " runs a JVM " + problem.version() + ": "
                        + problem.message(), "supported is HotSpot on x86-64; 17 and 25 are tested");
                case NO_SYMBOLS -> new SessionRefused(Reason.UNSUPPORTED_VM,
                        who + " has mapped a libjvm.so whose file cannot be had any more",
                        "the JDK was probably replaced or removed under the running program; as root the mapped file"
                                + " itself can be read");
                case INCONSISTENT -> new SessionRefused(Reason.UNSUPPORTED_VM,
                        who + " runs a JVM that cannot be read: " + problem.message(),
                        "supported is HotSpot on x86-64; 17 and 25 are tested");
            };
        }
        return new SessionRefused(Reason.NOT_A_JVM, who + " is not a JVM: no libjvm.so is mapped into it",
                "mayfly ps lists the JVMs there are; mayfly run records also a program that starts its JVM later");
    }

    /**
     * Throws if the process is ending. The kernel releases the memory shortly before the process ends, so data read at
     * that time is incomplete.
     *
     * @throws SessionRefused if the process is ending
     */
    public static void requireNotEnding(LiveProcess process) throws SessionRefused {
        if (hasNoMemory(process) && process.isEnding(DYING_MILLIS)) {
            throw gone(process.pid());
        }
    }

    private static boolean hasNoMemory(LiveProcess process) {
        try {
            return process.mappings().isEmpty();
        } catch (IOException e) {
            return true;
        }
    }

    public static SessionRefused of(PerfUnavailable e) {
        return switch (e.reason()) {
            case RATE_TOO_HIGH -> new SessionRefused(Reason.RATE_TOO_HIGH, text(e),
                    "lower -F, or raise kernel.perf_event_max_sample_rate");
            case NOT_PERMITTED -> new SessionRefused(Reason.NOT_PERMITTED, text(e),
                    "mayfly doctor says what would permit it");
            case TOO_FEW_DESCRIPTORS, TOO_LITTLE_MEMORY -> new SessionRefused(Reason.LIMIT, text(e), "");
            case TARGET_GONE -> new SessionRefused(Reason.TARGET_GONE, text(e), "");
            case UNSUPPORTED -> new SessionRefused(Reason.UNSUPPORTED_KERNEL, text(e), "");
        };
    }

    public static String text(Exception e) {
        // Java's file exceptions contain little more than the path.
        if (e instanceof FileSystemException file) {
            return file instanceof NoSuchFileException ? "no such file or directory"
                    : file instanceof AccessDeniedException ? "permission denied" : String.valueOf(file.getReason());
        }
        String message = e.getMessage();
        return message == null || message.isEmpty() ? e.getClass().getSimpleName() : message;
    }
}
