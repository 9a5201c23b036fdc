package mayfly.discovery;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import mayfly.discovery.Refused.Reason;
import mayfly.linux.LiveProcess;
import mayfly.linux.MemoryGone;
import mayfly.linux.ProcessUnavailable;
import mayfly.linux.ProcessUnavailable.Owner;
import mayfly.linux.perf.PerfUnavailable;
import mayfly.linux.perf.Probe;
import mayfly.linux.proc.Permissions;
import mayfly.runtime.RuntimeProblem;
import org.jspecify.annotations.Nullable;

/** Turns errors of lower modules into a {@link Refused} with advice for the user. */
public final class Refusals {
    private static final int DYING_MILLIS = 300;

    private Refusals() {}

    /**
     * Opens a process.
     *
     * @throws Refused if there is no process with this id, or if it may not be inspected
     */
    public static LiveProcess open(int pid) throws Refused {
        try {
            return LiveProcess.open(pid);
        } catch (ProcessUnavailable e) {
            throw of(e);
        }
    }

    static Refused of(ProcessUnavailable e) {
        return switch (e.reason()) {
            case NOT_FOUND, NOT_A_PROCESS -> new Refused(Reason.NO_SUCH_PROCESS, text(e), "mayfly ps lists the JVMs");
            case FIRST_THREAD_ENDED -> new Refused(Reason.TARGET_GONE, text(e), "");
            case ZOMBIE -> new Refused(Reason.ZOMBIE, text(e), "");
            case KERNEL_THREAD -> new Refused(Reason.NOT_A_JVM, text(e), "");
            case NOT_PERMITTED ->
                new Refused(
                        Reason.NOT_PERMITTED,
                        text(e),
                        e.owner().map(Refusals::owner).orElse("") + "mayfly doctor " + e.pid()
                                + " prints what is missing");
            case SYSTEM -> new Refused(Reason.UNSUPPORTED_KERNEL, text(e), "");
        };
    }

    private static String owner(Owner owner) {
        try {
            return new DoctorAdvice(Permissions.read(), true).forOwner(owner) + "\n";
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Requires that the memory of a process can be read, which every sampling method needs.
     *
     * @throws Refused if it may not be read
     */
    static void requireReadable(int pid) throws Refused {
        Probe memory = Probe.readMemory(pid);
        // ESRCH: the process has ended or is ending. EFAULT: its memory may be read, but it has called execve(2)
        // meanwhile. Both are reported later.
        if (!memory.works()
                && !memory.errno().equals("ESRCH")
                && !memory.errno().equals("EFAULT")) {
            throw notPermitted(pid, "its memory may not be read: process_vm_readv: " + memory.errno());
        }
    }

    /** Returns a refusal that names the settings that may be the cause. */
    public static Refused notPermitted(int pid, String what) {
        String settings;
        try {
            settings = Permissions.read().ptraceSettings();
        } catch (IOException e) {
            settings = "";
        }
        return new Refused(
                Reason.NOT_PERMITTED,
                "process " + pid + ": " + what + (settings.isEmpty() ? "" : "; " + settings),
                "mayfly doctor " + pid + " prints what is missing");
    }

    /** Returns the refusal for a process that no collector can sample. */
    public static Refused noCollector(int pid, List<String> notes, List<Refused> refusals) {
        if (refusals.stream().map(Refused::getMessage).distinct().count() == 1) {
            return refusals.getFirst(); // an event may have the same source for each collector
        }
        boolean notPermitted = refusals.stream().anyMatch(refusal -> refusal.reason() == Reason.NOT_PERMITTED);
        return new Refused(
                notPermitted ? Reason.NOT_PERMITTED : refusals.getLast().reason(),
                "there is no way to sample process " + pid + " here",
                String.join("\n", notes) + "\nmayfly doctor " + pid + " prints what is missing");
    }

    public static Refused unreadable(LiveProcess process, IOException e) {
        int pid = process.pid();
        if (e instanceof NoSuchFileException || process.life().isEnding(DYING_MILLIS)) {
            return ended(process);
        }
        if (e instanceof MemoryGone) {
            return replacedOrEnding(process);
        }
        return new Refused(
                Reason.NOT_PERMITTED,
                "process " + pid + " cannot be read: " + text(e),
                "mayfly doctor " + pid + " prints what is missing");
    }

    /** Returns the refusal for a process that had no memory: it is opened again to find what it has become. */
    private static Refused replacedOrEnding(LiveProcess process) {
        try (LiveProcess again = LiveProcess.open(process.pid())) {
            return replaced(again);
        } catch (ProcessUnavailable unavailable) {
            return of(unavailable);
        }
    }

    /**
     * Returns the refusal for an error at the start of a capture. The error occurred in the capture's file, or while
     * the target was read for the file's header; the latter means that the target has ended.
     */
    public static Refused unprepared(LiveProcess process, Path captureFile, IOException e) {
        return process.life().isEnding(DYING_MILLIS)
                ? ended(process)
                : new Refused(Reason.OUTPUT, captureFile + " cannot be written: " + text(e), "");
    }

    /** Returns the refusal for a process that has ended. */
    public static Refused ended(LiveProcess process) {
        return new Refused(Reason.TARGET_GONE, "process " + process.pid() + " has ended", "");
    }

    static Refused replaced(LiveProcess process) {
        return new Refused(
                Reason.TARGET_GONE, "process " + process.pid() + " became another program while it was inspected", "");
    }

    /**
     * Returns the refusal for a process without a readable runtime.
     *
     * @param problem the problem of its runtime, null if no runtime's library is mapped
     */
    public static Refused noRuntime(LiveProcess process, @Nullable RuntimeProblem problem) {
        String who = "process " + process.pid();
        // A process releases its memory some time before it ends.
        boolean isDying = problem != null && problem.reason() != RuntimeProblem.Reason.NO_SYMBOLS
                ? problem.reason() == RuntimeProblem.Reason.INCONSISTENT
                : hasNoMemory(process);
        if (!process.life().isAlive() || isDying && process.life().isEnding(DYING_MILLIS)) {
            return ended(process);
        }
        if (problem != null) {
            return switch (problem.reason()) {
                case STARTING ->
                    new Refused(
                            Reason.JVM_STARTING,
                            who + " is a JVM that is still starting",
                            "try again in a moment; mayfly run profiles a program from its start");
                case OTHER_RUNTIME ->
                    new Refused(
                            Reason.UNSUPPORTED_VM, who + " runs a JVM that is not HotSpot: " + problem.message(), "");
                case OTHER_C_LIBRARY ->
                    new Refused(
                            Reason.UNSUPPORTED_VM,
                            who + " runs a JVM that is not supported: " + problem.message(),
                            "Mayfly supports only JVMs for glibc; it can itself run on a machine with musl");
                case TOO_OLD ->
                    new Refused(
                            Reason.UNSUPPORTED_VM,
                            who + " runs JVM " + problem.version() + ": " + problem.message(),
                            "Mayfly supports HotSpot from JDK 11; 17 and 25 are tested");
                case OTHER_CPU ->
                    new Refused(
                            Reason.UNSUPPORTED_VM, who + " runs a JVM on an unsupported CPU: " + problem.message(), "");
                case NO_SYMBOLS ->
                    new Refused(
                            Reason.UNSUPPORTED_VM,
                            who + " has mapped a libjvm.so whose file is no longer available",
                            "the JDK was probably replaced or removed while the program was running; run Mayfly as"
                                    + " root: it can then read the mapped file itself");
                case INCONSISTENT ->
                    new Refused(
                            Reason.UNSUPPORTED_VM,
                            who + " runs a JVM that cannot be read: " + problem.message(),
                            "Mayfly supports HotSpot from JDK 11; 17 and 25 are tested");
            };
        }
        return new Refused(
                Reason.NOT_A_JVM,
                who + " is not a JVM: no libjvm.so is mapped into it",
                "mayfly ps lists the JVMs; mayfly run waits for a program to start its JVM");
    }

    /**
     * Throws if the process is ending. The kernel releases the memory shortly before the process ends, so data read at
     * that time is incomplete.
     *
     * @throws Refused if the process is ending
     */
    public static void requireNotEnding(LiveProcess process) throws Refused {
        if (hasNoMemory(process) && process.life().isEnding(DYING_MILLIS)) {
            throw ended(process);
        }
    }

    private static boolean hasNoMemory(LiveProcess process) {
        try {
            return process.mappings().isEmpty();
        } catch (IOException e) {
            return true;
        }
    }

    public static Refused of(PerfUnavailable e) {
        return switch (e.reason()) {
            case RATE_TOO_HIGH ->
                new Refused(Reason.RATE_TOO_HIGH, text(e), "lower -F, or raise kernel.perf_event_max_sample_rate");
            case NOT_PERMITTED -> new Refused(Reason.NOT_PERMITTED, text(e), "mayfly doctor prints what is missing");
            case TOO_FEW_DESCRIPTORS, TOO_LITTLE_MEMORY -> new Refused(Reason.LIMIT, text(e), "");
            case TARGET_GONE -> new Refused(Reason.TARGET_GONE, text(e), "");
            case UNSUPPORTED -> new Refused(Reason.UNSUPPORTED_KERNEL, text(e), "");
        };
    }

    public static String text(Exception e) {
        // Java's file exceptions contain little more than the path.
        if (e instanceof FileSystemException file) {
            return switch (file) {
                case NoSuchFileException _ -> "no such file or directory";
                case AccessDeniedException _ -> "permission denied";
                default -> String.valueOf(file.getReason());
            };
        }
        String message = e.getMessage();
        return message == null || message.isEmpty() ? e.getClass().getSimpleName() : message;
    }
}
