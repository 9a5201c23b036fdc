package mayfly.attach.channel;


import mayfly.api.Status;
import mayfly.linux.LiveProcess;

/** The end of a process that a request is for. */
public final class ProcessEnd {
    /** How long a process may take from closing its descriptors, which others see, to its end. */
    private static final int ENDING_MILLIS = 500;

    private ProcessEnd() {
    }

    /** Whether a process has ended, or is just about to. */
    public static boolean isNear(LiveProcess process) {
        return process.isEnding(ENDING_MILLIS);
    }

    /** The failure of a request for a process that has ended. */
    public static AttachFailed of(LiveProcess process) {
        return new AttachFailed(Status.FAILED, "process " + process.pid() + " has ended");
    }
}
