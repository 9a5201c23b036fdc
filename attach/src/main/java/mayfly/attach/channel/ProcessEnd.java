package mayfly.attach.channel;

import mayfly.discovery.Refusals;
import mayfly.linux.LiveProcess;
import mayfly.process.ProcessLife;

/** The end of a process that is the target of a request. */
public final class ProcessEnd {
    /**
     * Upper bound on the time between the close of a process's descriptors, which other processes can observe, and its
     * end.
     */
    private static final int ENDING_MILLIS = 500;

    private ProcessEnd() {}

    /** Returns true if a process has ended or is about to end. */
    public static boolean isNear(ProcessLife process) {
        return process.isEnding(ENDING_MILLIS);
    }

    /** Returns the failure of a request for a process that has ended. */
    public static AttachFailed of(LiveProcess process) {
        return new AttachFailed(Refusals.ended(process));
    }
}
