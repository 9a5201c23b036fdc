package mayfly.record;

/** Told how a recording goes on, by the thread that records, at most four times a second. */
@FunctionalInterface
public interface Progress {

    /**
     * @param samples samples taken so far
     * @param elapsedNanos since sampling started
     * @param lost samples that the kernel could not hand over so far
     */
    void tick(long samples, long elapsedNanos, long lost);
}
