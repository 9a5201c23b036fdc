package mayfly.hotspot.tables;

/**
 * Facts that the VM structures do not describe, one row per change, newest first.
 *
 * <p>The structures of JDK 21 and older do not describe ContinuationEntry. Its size is rounded up to 16 bytes, see
 * ContinuationEntry::size in continuationEntry.hpp. Since JDK 20 its count of held monitors has eight bytes instead of
 * four.
 *
 * @param since the first feature release to which the row applies
 * @param unsigned5ExcludedBytes the number of byte values that UNSIGNED5 never uses: since JDK 20 the zero byte
 *         (JDK-8282475)
 * @param objectHandles true if a JavaThread and an ObjectMonitor refer to their objects by handles: since JDK 16
 *         (JDK-8244997, JDK-8247281)
 * @param flagTypeNumbers true if a JVMFlag has the number of its type instead of its name: since JDK 16 (JDK-8081833)
 * @param continuationEntrySize the size of a ContinuationEntry on the stack, in bytes, if the VM does not describe it;
 *         0 before JDK 19, which has no continuations
 * @param startsUnblocker true if the first virtual thread starts the thread {@code VirtualThread-unblocker}: since JDK
 *         24 (JDK-8338383)
 * @param monitorOwner the way in which an ObjectMonitor names its owner
 * @param narrowOopLocation the type of a Location that contains a compressed reference: since JDK 16 vectors have a
 *         type of their own (JDK-8223347)
 * @param objectRootFlag true if an ObjectValue begins with a flag: since JDK 22 (JDK-8287061)
 */
public record JdkRules(
        int since,
        int unsigned5ExcludedBytes,
        boolean objectHandles,
        boolean flagTypeNumbers,
        int continuationEntrySize,
        boolean startsUnblocker,
        MonitorOwner monitorOwner,
        int narrowOopLocation,
        boolean objectRootFlag) {

    /** The meaning of {@code ObjectMonitor::_owner}; 0 is always no owner. */
    public enum MonitorOwner {
        /** A JavaThread, or the address of a lock record on the stack of the owner. */
        ADDRESS,
        /** As {@link #ADDRESS}, or 1 if the owner has the object on its lock stack: since JDK 21 (JDK-8291555). */
        ADDRESS_OR_LOCK_STACK,
        /** The id of the owner's Thread, or 1 as above: since JDK 24 (JDK-8338383). */
        THREAD_ID
    }

    private static final JdkRules[] ROWS = {
        new JdkRules(24, 1, true, true, 64, true, MonitorOwner.THREAD_ID, 9, true),
        new JdkRules(22, 1, true, true, 64, false, MonitorOwner.ADDRESS_OR_LOCK_STACK, 9, true),
        new JdkRules(21, 1, true, true, 64, false, MonitorOwner.ADDRESS_OR_LOCK_STACK, 9, false),
        new JdkRules(20, 1, true, true, 64, false, MonitorOwner.ADDRESS, 9, false),
        new JdkRules(19, 0, true, true, 48, false, MonitorOwner.ADDRESS, 9, false),
        new JdkRules(16, 0, true, true, 0, false, MonitorOwner.ADDRESS, 9, false),
        new JdkRules(11, 0, false, false, 0, false, MonitorOwner.ADDRESS, 8, false),
    };

    /** The oldest supported feature release. */
    public static final int OLDEST = 11;

    /**
     * Returns the row for a feature release.
     *
     * @throws IllegalArgumentException if the release is older than {@link #OLDEST}
     */
    public static JdkRules of(int feature) {
        for (JdkRules row : ROWS) {
            if (feature >= row.since) {
                return row;
            }
        }
        throw new IllegalArgumentException("JDK " + feature + " is older than " + OLDEST);
    }
}
