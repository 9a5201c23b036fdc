package mayfly.attach.client;

import java.util.Optional;
import mayfly.attach.channel.HostRecord;

/** The reason for which a detach waits. */
public final class DetachWait {
    private DetachWait() {}

    /** The state of a request to detach. */
    public enum Request {
        /** The host has not answered it. */
        UNANSWERED,
        /** The host has accepted it. */
        ACCEPTED
    }

    /** Returns the reason, as part of a sentence. */
    public static String reason(HostRecord host, Request request) {
        if (!host.pinnedBy().isEmpty()) {
            return (host.pinnedBy().startsWith("referenced by ") ? "it is " : "that is ") + host.pinnedBy();
        }
        if (request == Request.ACCEPTED && host.state() == HostRecord.State.ACTIVE) {
            return "it is still active: it has been asked, and does not detach; `mayfly detach --force` does not ask"
                    + " it";
        }
        Optional<HostRecord.Running> running =
                host.longest().filter(callback -> !callback.callback().isEmpty());
        if (running.isPresent()) {
            return "its callback " + running.get().callback() + " is running on thread "
                    + running.get().tid();
        }
        if (host.state() == HostRecord.State.INITIALIZING) {
            return "it is being initialized: its class's static initializer or its constructor has not returned";
        }
        return switch (request) {
            case ACCEPTED ->
                "the host is working, or waits for a garbage collection that shows whether anything"
                        + " retains the profiler: `mayfly stack` shows where its thread is";
            case UNANSWERED ->
                "its host does not answer: the process is stopped, gets too little CPU time, or cannot"
                        + " open another descriptor";
        };
    }
}
