package mayfly.profile;

/** The level of detail at which {@code CaptureReader} keeps a capture's samples in memory. */
public enum Detail {
    /** Every sample, and every stack under its id in the file. */
    EVERY_SAMPLE,
    /**
     * Every sample if there are few; {@link #SUMS} for a capture that has more than {@link #FEW_SAMPLES}, or whose
     * samples have more than {@link #FEW_FRAMES} together.
     */
    IN_ORDER_IF_FEW,
    /** One row for all samples of the same stack, thread and outcome, in the order of their first ones. */
    SUMS;

    /** Upper bound on the number of few samples: more than a viewer can show. */
    public static final int FEW_SAMPLES = 1 << 22;
    /**
     * Upper bound on the number of frames of few samples: as JSON some 500 MB, which is the most that a browser reads.
     */
    public static final long FEW_FRAMES = 1L << 27;
}
