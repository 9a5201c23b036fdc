package mayfly.unwind;

import java.util.Arrays;

/**
 * The frames of one stack, leaf first. If the number of frames exceeds a limit, the frames in the middle are omitted,
 * and those at the leaf and at the root are kept. Reusable.
 */
public final class BoundedStack<T> {
    private final int half;
    private T[] frames;
    private int count;
    /**
     * The number of frames beyond the limit. Each of them has replaced the frame farthest from the root in the second
     * half.
     */
    private long beyond;
    /** The index at which the walk skipped frames, -1 if it skipped none. */
    private int gap = -1;

    /**
     * @param room the initial array, of any size
     * @param most the maximum number of frames kept, an even number; does not include the frame that represents omitted
     *     ones
     */
    public BoundedStack(T[] room, int most) {
        this.frames = room;
        this.half = most / 2;
    }

    public void clear() {
        count = 0;
        beyond = 0;
        gap = -1;
    }

    /**
     * Marks a gap: the frames that are added next are not the direct callers of the earlier ones. Of the earlier
     * frames, keeps only those next to the leaf, at most half the limit.
     */
    public void skip() {
        keepFirst(half);
        gap = count;
    }

    public void add(T frame) {
        if (count == 2 * half) {
            frames[half + (int) (beyond++ % half)] = frame;
            return;
        }
        if (count == frames.length) {
            frames = Arrays.copyOf(frames, Math.max(16, count * 2));
        }
        frames[count++] = frame;
    }

    /**
     * Keeps only the frames next to the leaf: at most {@code most}, and at most half the limit if frames were omitted.
     */
    public void keepFirst(int most) {
        count = Math.min(most, beyond > 0 ? half : count);
        beyond = 0;
        gap = -1;
    }

    /** Returns the number of frames omitted because of the limit. */
    public long omitted() {
        return beyond;
    }

    /**
     * Arranges the frames in their final order, with one frame in place of the omitted ones. Called after the last
     * frame was added.
     */
    public void close(T forOmitted) {
        if (gap >= 0) {
            int at = gap;
            add(forOmitted);
            System.arraycopy(frames, at, frames, at + 1, count - at - 1);
            frames[at] = forOmitted;
            return;
        }
        if (beyond == 0) {
            return;
        }
        int oldest = (int) (beyond % half);
        T[] ordered = Arrays.copyOf(frames, 2 * half + 1);
        ordered[half] = forOmitted;
        for (int i = 0; i < half; i++) {
            ordered[half + 1 + i] = frames[half + (oldest + i) % half];
        }
        frames = ordered;
        count = ordered.length;
    }

    /** Returns the frames; only the first {@link #size()} are valid. */
    public T[] frames() {
        return frames;
    }

    public int size() {
        return count;
    }
}
