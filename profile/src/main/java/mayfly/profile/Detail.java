package mayfly.profile;

/** How much of a capture's samples {@link CaptureReader} keeps in memory. */
public enum Detail {
    /** Every sample, and every stack under the id that it has in the file. */
    EVERY_SAMPLE,
    /**
     * Every sample as long as they are few; {@link #SUMS} of a capture that has more than {@value SampleRecords#FEW}
     * samples, or whose samples have more than {@value SampleRecords#FEW_FRAMES} frames together.
     */
    IN_ORDER_IF_FEW,
    /** One row for all samples of the same stack, thread and outcome, in the order of their first ones. */
    SUMS
}
