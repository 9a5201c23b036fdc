package mayfly.profile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.profile.column.IntColumn;
import mayfly.profile.column.LongColumn;
import org.jspecify.annotations.Nullable;

/** Rows of samples: each row is one sample, or the sum of all samples of one stack, thread and outcome. */
public final class Samples {
    private final IntColumn threads = new IntColumn();
    private final IntColumn stacks = new IntColumn();
    private final LongColumn values = new LongColumn();
    private byte[] outcomes = new byte[1 << 10];
    /** The measures after the first one, one column each; empty for sums. */
    private final List<LongColumn> further = new ArrayList<>();
    /** The words of measures whose columns contain indexes into this list. */
    private final List<String> words = new ArrayList<>();

    private final Map<String, Integer> wordIds = new HashMap<>();
    /** Times, null for sums. */
    private final @Nullable LongColumn nanos;
    /** The number of samples in each sum, null if each row is one sample. */
    private final @Nullable LongColumn counts;
    /** Hash table of sums with open addressing, at most half full: the sum's row + 1, 0 if the slot is empty. */
    private int[] slots;

    private Samples(@Nullable LongColumn nanos, @Nullable LongColumn counts, int[] slots) {
        this.nanos = nanos;
        this.counts = counts;
        this.slots = slots;
    }

    /** Creates rows of single samples, with the first measure of their event only. */
    public static Samples each() {
        return each(1);
    }

    /** Creates rows of single samples with the given number of measures. */
    public static Samples each(int measures) {
        var samples = new Samples(new LongColumn(), null, new int[0]);
        for (int place = 1; place < measures; place++) {
            samples.further.add(new LongColumn());
        }
        return samples;
    }

    public static Samples sums() {
        return new Samples(null, new LongColumn(), new int[1 << 12]);
    }

    public boolean isSummed() {
        return counts != null;
    }

    /**
     * Adds a sample as a new row, or to its sum. In a sum, a negative value counts as 0.
     *
     * @param at CLOCK_MONOTONIC nanoseconds; not used in a sum
     * @param value the first measure of the event, in the event's unit
     * @param outcome the ordinal of the {@link WalkOutcome}
     */
    public void add(long at, int thread, int stack, long value, int outcome) {
        if (nanos == null) {
            addToSum(thread, stack, outcome, 1, Math.max(0, value));
        } else {
            nanos.add(at);
            row(thread, stack, outcome, value);
        }
    }

    /**
     * Adds a measure to the sample that was added last. If samples are not combined, the caller adds all measures after
     * the first one, in order.
     *
     * @param place the index of the measure in its event, 1 or more
     */
    public void addFurther(int place, long value) {
        further.get(place - 1).add(value);
    }

    /** Adds a measure that is a word. */
    public void addFurther(int place, String word) {
        Integer known = wordIds.get(word);
        if (known == null) {
            known = words.size();
            words.add(word);
            wordIds.put(word, known);
        }
        addFurther(place, known);
    }

    /**
     * Returns sums of these samples. If {@code byThread} is false, the samples of all threads are combined, and each
     * sum has thread 0.
     */
    public Samples added(boolean byThread) {
        Samples sums = sums();
        for (int row = 0; row < size(); row++) {
            sums.addToSum(
                    byThread ? threads.get(row) : 0,
                    stacks.get(row),
                    outcomes[row],
                    count(row),
                    Math.max(0, values.get(row)));
        }
        return sums;
    }

    /** Releases the memory that only {@link #add} to a sum needs. */
    public void seal() {
        slots = new int[0];
    }

    private void row(int thread, int stack, int outcome, long value) {
        int row = threads.size();
        if (row == outcomes.length) {
            outcomes = Arrays.copyOf(outcomes, row * 2);
        }
        threads.add(thread);
        stacks.add(stack);
        outcomes[row] = (byte) outcome;
        values.add(value);
    }

    private void addToSum(int thread, int stack, int outcome, long samples, long value) {
        LongColumn sums = counts;
        if (sums == null) {
            throw new IllegalStateException("each row is one sample");
        }
        int at = slot(thread, stack, outcome);
        while (slots[at] != 0) {
            int row = slots[at] - 1;
            if (stacks.get(row) == stack && threads.get(row) == thread && outcomes[row] == outcome) {
                sums.increase(row, samples);
                values.increase(row, value);
                return;
            }
            at = at + 1 & slots.length - 1;
        }
        row(thread, stack, outcome, value);
        sums.add(samples);
        slots[at] = size();
        if (size() > slots.length / 2) {
            grow();
        }
    }

    private void grow() {
        slots = new int[slots.length * 2];
        for (int row = 0; row < size(); row++) {
            int at = slot(threads.get(row), stacks.get(row), outcomes[row]);
            while (slots[at] != 0) {
                at = at + 1 & slots.length - 1;
            }
            slots[at] = row + 1;
        }
    }

    private int slot(int thread, int stack, int outcome) {
        long hash = ((long) stack << 32 ^ (long) thread << 5 ^ outcome) * 0x9E3779B97F4A7C15L;
        return (int) (hash >>> 32) & slots.length - 1;
    }

    /** Returns the number of rows. */
    int size() {
        return threads.size();
    }

    /** Returns the time of a row, 0 for a sum. */
    long nanos(int row) {
        return nanos == null ? 0 : nanos.get(row);
    }

    int thread(int row) {
        return threads.get(row);
    }

    int stack(int row) {
        return stacks.get(row);
    }

    long value(int row) {
        return values.get(row);
    }

    long further(int row, int place) {
        if (isSummed()) {
            throw new IllegalStateException("only the first measure is added up");
        }
        return further.get(place - 1).get(row);
    }

    String word(int row, int place) {
        return words.get((int) further(row, place));
    }

    int outcome(int row) {
        return outcomes[row];
    }

    long count(int row) {
        return counts == null ? 1 : counts.get(row);
    }
}
