package mayfly.sampler;

import java.io.IOException;
import mayfly.hotspot.UnsupportedVm;
import mayfly.linux.LiveProcess;
import mayfly.linux.PerfUnavailable;
import mayfly.linux.ProcessUnavailable;
import mayfly.sampler.SessionRefused.Reason;
import org.jspecify.annotations.Nullable;

/** Turns what a lower room found into a refusal that tells a user what to do. */
final class Refusals {
    private Refusals() {
    }

    static SessionRefused of(ProcessUnavailable e) {
        return switch (e.reason()) {
            case NOT_FOUND, NOT_A_PROCESS -> new SessionRefused(Reason.NO_SUCH_PROCESS, text(e),
                    "mayfly ps lists the JVMs there are");
            case ZOMBIE -> new SessionRefused(Reason.ZOMBIE, text(e), "");
            case KERNEL_THREAD -> new SessionRefused(Reason.NOT_A_JVM, text(e), "");
            case NOT_PERMITTED -> new SessionRefused(Reason.NOT_PERMITTED, text(e),
                    "be the process's user or root; mayfly doctor " + e.pid() + " says what is missing");
            case SYSTEM -> new SessionRefused(Reason.UNSUPPORTED_KERNEL, text(e), "");
        };
    }

    static SessionRefused unreadable(int pid, IOException e) {
        return new SessionRefused(Reason.NOT_PERMITTED, "process " + pid + " cannot be read: " + text(e),
                "be the process's user or root; mayfly doctor " + pid + " says what is missing");
    }

    static SessionRefused noRuntime(LiveProcess process, @Nullable UnsupportedVm problem, boolean libraryUnreadable) {
        String who = "process " + process.pid();
        if (!process.isAlive()) {
            return new SessionRefused(Reason.TARGET_GONE, who + " has ended", "");
        }
        if (problem != null) {
            return switch (problem.reason()) {
                case STARTING -> new SessionRefused(Reason.JVM_STARTING, who + " is a JVM that is still starting",
                        "try again in a moment; mayfly run profiles a program from its start");
                case NOT_HOTSPOT -> new SessionRefused(Reason.UNSUPPORTED_VM,
                        who + " runs a JVM that is not HotSpot: " + problem.getMessage(), "");
                case INCONSISTENT -> new SessionRefused(Reason.UNSUPPORTED_VM,
                        who + " runs a JVM that cannot be read: " + problem.getMessage(),
                        "supported is HotSpot on x86-64; 17 and 25 are tested");
            };
        }
        if (libraryUnreadable) {
            return new SessionRefused(Reason.UNSUPPORTED_VM,
                    who + " has mapped a libjvm.so whose file cannot be had any more",
                    "the JDK was probably replaced or removed under the running program; as root the mapped file"
                            + " itself can be read");
        }
        return new SessionRefused(Reason.NOT_A_JVM, who + " is not a JVM: no libjvm.so is mapped into it",
                "mayfly ps lists the JVMs there are");
    }

    static SessionRefused of(PerfUnavailable e) {
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

    static String text(Exception e) {
        String message = e.getMessage();
        return message == null || message.isEmpty() ? e.getClass().getSimpleName() : message;
    }
}
