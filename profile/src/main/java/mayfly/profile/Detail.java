package mayfly.profile;

/** How much of a capture's samples {@code CaptureReader} keeps in memory. */
public enum Detail {
    /** Every sample, and every stack under the id that it has in the file. */
    EVERY_SAMPLE,
    /**
     * Every sample as long as they are few; {@link #SUMS} of a capture that has more than {@link #FEW_SAMPLES}, or whose
     * samples have more than {@link #FEW_FRAMES} together.
     */
    IN_ORDER_IF_FEW,
    /** One row for all samples of the same stack, thread and outcome, in the order of their first ones. */
    SUMS;

    /** Samples that are few: more than a viewer can show. */
    public static final int FEW_SAMPLES = 1 << 22;
    /** The same for the frames of all samples together: as JSON some 500 MB, which is as much as a browser reads. */
    public static final long FEW_FRAMES = 1L << 27;
}
