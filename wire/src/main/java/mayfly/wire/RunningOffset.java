package mayfly.wire;

/**
 * Offsets in one slot of {@link RecordOffset#RUNNING}, in bytes. A constant has the name of the field in C's
 * {@code struct running}.
 */
public final class RunningOffset {
    public static final int TID = 0;
    /** A value of {@link UpcallKind}. */
    public static final int KIND = 4;
    /** CLOCK_BOOTTIME, ns. */
    public static final int SINCE = 8;

    private RunningOffset() {}
}
