package mayfly.unwind;

import java.util.Arrays;

/**
 * The frames of one stack, leaf first. If there are more than a limit, the middle is omitted, so that both the leaf and
 * the root end are kept. Reused from stack to stack.
 */
public final class BoundedStack<T> {
    private final int half;
    private T[] frames;
    private int count;
    /** The number of frames beyond the limit. Each of them replaces the oldest frame of the root end. */
    private long beyond;
    /** The index at which frames were omitted because the walk skipped them; -1 if it did not. */
    private int gap = -1;

    /**
     * @param room the initial array; any size is valid
     * @param most the maximum number of frames kept, an even number; one more represents the omitted ones
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
     * Marks a gap: the frames added from now on do not call those before. At most one half of the limit is kept of the
     * earlier frames.
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
     * Keeps only the first frames: at most {@code most}, and if the middle was omitted at most one half of the limit.
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
     * Puts the frames in order after the last one was added, with one frame that represents the omitted ones between
     * them.
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
