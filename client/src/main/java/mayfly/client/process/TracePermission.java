package mayfly.client.process;

import java.util.Optional;

/** The setting of this process that permits one other process, and its descendants, to trace this one. */
interface TracePermission {
    /** Returns the reason why the setting cannot be changed, or nothing if it probably can. */
    Optional<String> obstacle();

    /**
     * Permits a process to trace this one, instead of the process that was permitted before.
     *
     * @param pid the process; 0 for none
     * @return the reason why it was not permitted, or nothing if it was
     */
    Optional<String> permit(long pid);
}
