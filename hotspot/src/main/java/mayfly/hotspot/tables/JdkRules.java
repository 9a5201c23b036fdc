package mayfly.hotspot.tables;

/**
 * What the VM structures do not say, one row per change, newest first.
 *
 * <p>The structures of JDK 21 and older do not describe ContinuationEntry. Its size is rounded up to 16 bytes, see
 * ContinuationEntry::size in continuationEntry.hpp; since JDK 20 the count of held monitors in it has eight bytes and
 * not four.
 *
 * @param since the first feature release the row holds for
 * @param unsigned5ExcludedBytes how many byte values UNSIGNED5 never uses: since JDK 20 the zero byte (JDK-8282475)
 * @param threadObjectHandles whether a JavaThread keeps its object by an OopHandle: since JDK 16 (JDK-8244997)
 * @param flagTypeNumbers whether a JVMFlag has the number of its type and not its name: since JDK 16 (JDK-8081833)
 * @param continuationEntrySize what a ContinuationEntry takes on the stack, in bytes, where the VM does not describe
 *                              it; 0 before JDK 19, which has no continuations
 */
public record JdkRules(int since, int unsigned5ExcludedBytes, boolean threadObjectHandles, boolean flagTypeNumbers,
        int continuationEntrySize) {

    private static final JdkRules[] ROWS = {
        new JdkRules(20, 1, true, true, 64),
        new JdkRules(19, 0, true, true, 48),
        new JdkRules(16, 0, true, true, 0),
        new JdkRules(11, 0, false, false, 0),
    };

    /** The oldest feature release that is supported. */
    public static final int OLDEST = 11;

    /** The row for a feature release. */
    public static JdkRules of(int feature) {
        for (JdkRules row : ROWS) {
            if (feature >= row.since) {
                return row;
            }
        }
        throw new IllegalArgumentException("JDK " + feature + " is older than " + OLDEST);
    }
}
