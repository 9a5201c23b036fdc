package mayfly.record;

/** Receives the progress of a recording, on the recording thread, at most four times a second. */
@FunctionalInterface
public interface Progress {

    /**
     * Reports the progress.
     *
     * @param samples samples taken so far
     * @param elapsedNanos time since sampling started, ns
     * @param lost samples that the kernel could not deliver so far
     */
    void tick(long samples, long elapsedNanos, long lost);
}
