package mayfly.record.allocation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import mayfly.profile.WalkOutcome;
import mayfly.record.allocation.ThreadAllocations.Share;
import org.jspecify.annotations.Nullable;

/** One thread: its counter, the bytes by time, and its samples. */
final class ThreadRow {
    /** Upper bound on the samples between two divisions: a thread has far fewer in a second. */
    private static final int MAX_SAMPLES = 1 << 16;

    private final int tid;
    private long thread;
    private boolean read;
    private boolean baseConfirmed;
    /** The value of the counter up to which its bytes were added. */
    private long counted;
    /** The value of the last reading, which the next one confirms. */
    private long last;

    private long lastTime;
    /** The time of the reading before the last one: earlier bytes are known. */
    private long known;
    /** The time of the last reading that had the thread. */
    long lastSeen;

    private List<Increase> increases = new ArrayList<>();
    private List<Sample> samples = new ArrayList<>();
    /** Bytes without a sample so far. */
    private long left;
    /** The last sample of an allocation that has a share: later bytes are of the memory that it obtained. */
    private @Nullable Sample latest;
    /** The number of samples that were dropped, because there were too many. */
    long dropped;

    /**
     * Bytes allocated between two readings.
     *
     * @param since the time of the first one, CLOCK_MONOTONIC in ns
     * @param until the time of the second one
     */
    private record Increase(long since, long until, long bytes) {
        boolean contains(long time) {
            return since < time && time <= until;
        }

        /** Returns the bytes for each nanosecond. */
        double rate() {
            return (double) bytes / Math.max(1, until - since);
        }
    }

    /** @param obtained the bytes that the thread obtained; 0 for a sample of a time */
    private record Sample(int tid, long time, int stack, WalkOutcome outcome, long obtained) {
        Share share(long bytes) {
            return new Share(tid, time, bytes, stack, outcome);
        }
    }

    ThreadRow(int tid) {
        this.tid = tid;
    }

    /** Returns true if a reading has had the thread. */
    boolean isRead() {
        return read;
    }

    long thread() {
        return thread;
    }

    long last() {
        return last;
    }

    long counted() {
        return counted;
    }

    /**
     * Begins with a new counter.
     *
     * @param base the value from which its bytes count
     * @param since the time of the reading before, CLOCK_MONOTONIC in ns
     */
    void begin(long newThread, long base, long value, long since, long now) {
        read = true;
        baseConfirmed = false;
        thread = newThread;
        counted = base;
        last = value;
        known = since;
        lastTime = now;
    }

    /** Lowers the value from which its bytes count, if the second reading shows that the first one was too large. */
    void confirmBase(long value) {
        if (!baseConfirmed) {
            baseConfirmed = true;
            counted = Math.min(counted, value);
        }
    }

    /** Sets the value of a reading. */
    void read(long value, long now) {
        last = value;
        known = lastTime;
        lastTime = now;
    }

    /** Returns the time between the readings that bound the next bytes to be added, ns. */
    long interval() {
        return lastTime - known;
    }

    /** Adds the bytes up to a value of the counter, which were allocated before the last reading. */
    void add(long value) {
        increases.add(new Increase(known, lastTime, value - counted));
        counted = value;
    }

    void sample(int outer, long time, int stack, WalkOutcome outcome, long obtained) {
        if (samples.size() < MAX_SAMPLES) {
            samples.add(new Sample(outer, time, stack, outcome, obtained));
        } else {
            dropped++;
        }
    }

    /**
     * Gives the samples up to a time the bytes that the thread obtained, and drops samples of times. Returns the bytes.
     */
    long divideUncounted(long until, List<Share> shares) {
        long bytes = 0;
        for (Sample sample : samples) {
            if (sample.time <= until && sample.obtained > 0) {
                shares.add(sample.share(sample.obtained));
                bytes += sample.obtained;
            }
        }
        samples.removeIf(sample -> sample.time <= until);
        return bytes;
    }

    boolean hasNoSamples() {
        return samples.isEmpty();
    }

    boolean mayAllocate(long time) {
        return time > known || rate(time) > 0;
    }

    /** Returns the rate at which the thread allocated at a time, bytes for each nanosecond. */
    private double rate(long time) {
        int low = 0;
        int high = increases.size() - 1;
        while (low < high) {
            int middle = low + high + 1 >>> 1;
            if (increases.get(middle).since < time) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return high >= 0 && increases.get(low).contains(time)
                ? increases.get(low).rate()
                : 0;
    }

    /** Divides the bytes whose times are known. */
    void divide(List<Share> shares) {
        divide(known, shares);
    }

    /** Divides all bytes. The bytes that belong to no sample are a share of their own. */
    void divideAll(List<Share> shares) {
        divide(Long.MAX_VALUE, shares);
        if (left > 0) {
            shares.add(new Share(tid, lastTime, left, -1, WalkOutcome.COMPLETE));
            left = 0;
        }
    }

    private void divide(long until, List<Share> shares) {
        samples.sort(Comparator.comparingLong(Sample::time)); // those of different CPUs arrive in any order
        List<Sample> allocating = new ArrayList<>();
        int count = 0;
        while (count < samples.size() && samples.get(count).time <= until) {
            Sample sample = samples.get(count++);
            if (sample.obtained > 0 || rate(sample.time) > 0) {
                allocating.add(sample);
            }
        }
        if (allocating.isEmpty() && latest != null) {
            allocating.add(latest);
        }
        double[] weights = weights(allocating, until);
        double all = Arrays.stream(weights).sum();
        int past = 0;
        while (past < increases.size() && increases.get(past).until <= until) {
            left += increases.get(past).bytes;
            past++;
        }
        boolean ofAllocations = !allocating.isEmpty() && allocating.getFirst().obtained > 0;
        if (left == 0 && ofAllocations) {
            return; // the thread has not used what it obtained
        }
        latest = ofAllocations ? allocating.getLast() : null;
        for (int i = 0; i < weights.length; i++) {
            Sample sample = allocating.get(i);
            long share = i + 1 < weights.length ? Math.round(left * (weights[i] / all)) : left;
            if (share > 0) {
                shares.add(sample.share(share));
                left -= share;
            }
            all -= weights[i];
        }
        samples = new ArrayList<>(samples.subList(count, samples.size()));
        increases = new ArrayList<>(increases.subList(past, increases.size()));
    }

    /**
     * Returns the weights of samples: the bytes obtained, if they are of allocations. A sample of a time stands for the
     * time that is nearer to it than to the others, as far as the thread allocated during it; its weight is that time
     * multiplied by the rate at the sample. Rates alone would not do: a thread that waits for collections has fewer
     * samples in the same time.
     */
    private double[] weights(List<Sample> allocating, long until) {
        double[] weights = new double[allocating.size()];
        int first = 0;
        long from = Long.MIN_VALUE;
        for (int i = 0; i < weights.length; i++) {
            long time = allocating.get(i).time;
            long to = i + 1 < weights.length ? time + (allocating.get(i + 1).time - time) / 2 : until;
            while (first < increases.size() && increases.get(first).until <= from) {
                first++;
            }
            long nanos = 0;
            for (int k = first; k < increases.size() && increases.get(k).since < to; k++) {
                Increase increase = increases.get(k);
                nanos += Math.max(0, Math.min(to, increase.until) - Math.max(from, increase.since));
            }
            long obtained = allocating.get(i).obtained;
            weights[i] = obtained > 0 ? obtained : rate(time) * Math.max(1, nanos);
            from = to;
        }
        return weights;
    }
}
