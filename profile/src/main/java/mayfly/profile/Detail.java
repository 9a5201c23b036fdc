package mayfly.profile;

/** The level of detail at which {@code CaptureReader} keeps a capture's samples in memory. */
public enum Detail {
    /** Every sample, and every stack under its id in the file. */
    EVERY_SAMPLE,
    /**
     * Every sample, unless the capture has more than {@link #FEW_SAMPLES} samples, or its samples have more than
     * {@link #FEW_FRAMES} frames in total; then as {@link #SUMS}.
     */
    IN_ORDER_IF_FEW,
    /** One row for all samples of the same stack, thread and outcome, in the order of the first sample of each row. */
    SUMS;

    /** The largest number of samples that {@link #IN_ORDER_IF_FEW} keeps: more than a viewer can show. */
    public static final int FEW_SAMPLES = 1 << 22;
    /**
     * The largest number of frames in all samples that {@link #IN_ORDER_IF_FEW} keeps. As JSON they take about 500 MB,
     * the largest size that a browser reads.
     */
    public static final long FEW_FRAMES = 1L << 27;
}
