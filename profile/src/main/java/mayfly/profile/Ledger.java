package mayfly.profile;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The account of a recording: its samples by outcome, and the samples that were lost or ignored.
 *
 * @param collector the sampling method, in a few words
 * @param rate the requested samples per second, for each busy thread
 * @param durationNanos the duration of the sampling
 * @param outcomes samples by the outcome of their walk; outcomes that did not occur are absent
 * @param lost samples that the kernel could not deliver
 * @param throttled the number of times that the kernel throttled the event
 * @param duplicates samples ignored because they repeat another sample
 * @param sampledCpuNanos CPU time that the samples represent; for wall-clock time, the time of all threads
 * @param procCpuNanos CPU time of the target in /proc during the sampling, -1 if unknown
 * @param supersededFrames frames decoded from a retained copy of compiled code that was freed or replaced before the
 *     walk
 * @param continuedStacks stacks continued from live memory beyond the part that the kernel copied
 * @param unsavedStacks stacks of which a part was not saved at the sample, because samples were taken faster than they
 *     were walked
 * @param inferredLeaves samples whose leaf method is uncertain, because the compiler recorded no debug information for
 *     the instruction; -1 if unknown
 * @param cutShort true if the recording has no end, so that these figures are derived from its samples only
 * @param notes information for the reader, in sentences
 * @param alarms problems of the recording as a whole, in sentences
 */
public record Ledger(
        String collector,
        int rate,
        long durationNanos,
        Map<WalkOutcome, Long> outcomes,
        long lost,
        long throttled,
        long duplicates,
        long sampledCpuNanos,
        long procCpuNanos,
        long supersededFrames,
        long continuedStacks,
        long unsavedStacks,
        long inferredLeaves,
        boolean cutShort,
        List<String> notes,
        List<String> alarms) {

    /** One line of the ledger, the same in every output. */
    public record Row(String name, String value) {}

    public Ledger {
        var copy = new EnumMap<WalkOutcome, Long>(WalkOutcome.class);
        copy.putAll(outcomes);
        outcomes = Collections.unmodifiableMap(copy);
        notes = List.copyOf(notes);
        alarms = List.copyOf(alarms);
    }

    /** Returns the number of samples taken: every walk, with any outcome. */
    public long samples() {
        return outcomes.values().stream().mapToLong(Long::longValue).sum();
    }

    public long count(WalkOutcome outcome) {
        return outcomes.getOrDefault(outcome, 0L);
    }

    public long complete() {
        return count(WalkOutcome.COMPLETE);
    }

    public long truncated() {
        return count(WalkOutcome.TRUNCATED);
    }

    /** Returns the number of samples whose stacks reach the thread's first frame, but with the middle left out. */
    public long shortened() {
        return count(WalkOutcome.SHORTENED);
    }

    /**
     * Returns the number of samples whose frames next to the root may belong to another call: see
     * {@link WalkOutcome#UNPROVEN}.
     */
    public long unproven() {
        return count(WalkOutcome.UNPROVEN);
    }

    /** Returns the number of samples that are neither complete, truncated, shortened nor unproven. */
    public long broken() {
        return samples() - complete() - truncated() - shortened() - unproven();
    }

    /** Returns the ledger as names and values, in the order of every output. Notes and alarms come last. */
    public List<Row> rows() {
        var rows = new ArrayList<Row>();
        long samples = samples();
        rows.add(new Row("collector", collector));
        if (rate > 0) {
            rows.add(new Row("requested rate", rate + " Hz"));
        }
        rows.add(new Row("duration", seconds(durationNanos)));
        rows.add(new Row("samples", Long.toString(samples)));
        rows.add(new Row("complete", share(complete(), samples)));
        if (truncated() > 0) {
            rows.add(new Row("truncated", share(truncated(), samples)));
        }
        if (shortened() > 0) {
            rows.add(new Row("middle left out", share(shortened(), samples)));
        }
        if (unproven() > 0) {
            rows.add(new Row("unproven outer frames", share(unproven(), samples)));
        }
        outcomes.forEach((outcome, count) -> {
            if (outcome.isBroken() && count > 0) {
                rows.add(new Row("broken: " + outcome.id(), share(count, samples)));
            }
        });
        if (inferredLeaves >= 0) {
            rows.add(new Row("leaf methods certain", share(samples - inferredLeaves, samples)));
        }
        if (!cutShort) {
            rows.add(new Row("lost by the kernel", Long.toString(lost)));
        }
        addIfAny(rows, "throttled", throttled);
        addIfAny(rows, "duplicates ignored", duplicates);
        if (unsavedStacks > 0) {
            rows.add(new Row("stacks not saved for lack of room", share(unsavedStacks, samples)));
        }
        if (sampledCpuNanos > 0 || procCpuNanos >= 0) {
            rows.add(new Row("CPU seen by samples", seconds(sampledCpuNanos)));
        }
        if (procCpuNanos >= 0) {
            rows.add(new Row("CPU in /proc", seconds(procCpuNanos)));
        }
        addIfAny(rows, "frames from superseded code", supersededFrames);
        if (cutShort) {
            rows.add(new Row("cut short", "the recording has no end; these figures are counted from its samples"));
        }
        alarms.forEach(alarm -> rows.add(new Row("alarm", alarm)));
        notes.forEach(note -> rows.add(new Row("note", note)));
        return List.copyOf(rows);
    }

    private static void addIfAny(List<Row> rows, String name, long count) {
        if (count > 0) {
            rows.add(new Row(name, Long.toString(count)));
        }
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.2f s", nanos / 1e9);
    }

    /**
     * Formats a share. A share below 100 % is never rounded up to 100 %, because the reader must see that samples are
     * missing.
     */
    private static String share(long part, long whole) {
        if (whole == 0) {
            return Long.toString(part);
        }
        double percent = Math.floor(part * 10_000.0 / whole) / 100;
        return String.format(Locale.ROOT, "%d (%.2f %%)", part, percent);
    }

    public static Builder builder(String collector, int rate) {
        return new Builder(collector, rate);
    }

    /** Collects the figures during sampling. Confined to one thread. */
    public static final class Builder {
        private final String collector;
        private final int rate;
        private final long[] outcomes = new long[WalkOutcome.values().length];
        private final List<String> notes = new ArrayList<>();
        private final List<String> alarms = new ArrayList<>();
        private long durationNanos;
        private long lost;
        private long throttled;
        private long duplicates;
        private long sampledCpuNanos;
        private long procCpuNanos = -1;
        private long supersededFrames;
        private long continuedStacks;
        private long unsavedStacks;
        private long inferredLeaves = -1;
        private boolean cutShort;

        private Builder(String collector, int rate) {
            this.collector = collector;
            this.rate = rate;
        }

        /** Counts one sample that represents the given CPU time. Does not allocate. */
        public void sample(WalkOutcome outcome, long cpuNanos) {
            outcomes[outcome.ordinal()]++;
            sampledCpuNanos += cpuNanos;
        }

        public Builder count(WalkOutcome outcome, long samples) {
            outcomes[outcome.ordinal()] += samples;
            return this;
        }

        public Builder durationNanos(long nanos) {
            durationNanos = nanos;
            return this;
        }

        public Builder addLost(long samples) {
            lost += samples;
            return this;
        }

        public Builder addThrottled(long times) {
            throttled += times;
            return this;
        }

        public Builder addDuplicates(long samples) {
            duplicates += samples;
            return this;
        }

        public Builder addSampledCpuNanos(long nanos) {
            sampledCpuNanos += nanos;
            return this;
        }

        public Builder procCpuNanos(long nanos) {
            procCpuNanos = nanos;
            return this;
        }

        public Builder addSupersededFrames(long frames) {
            supersededFrames += frames;
            return this;
        }

        public Builder addContinuedStacks(long stacks) {
            continuedStacks += stacks;
            return this;
        }

        public Builder addUnsavedStacks(long stacks) {
            unsavedStacks += stacks;
            return this;
        }

        /**
         * Adds samples whose leaf method is uncertain. Their number is unknown until the first call, which may add 0.
         */
        public Builder addInferredLeaves(long samples) {
            inferredLeaves = Math.max(0, inferredLeaves) + samples;
            return this;
        }

        public Builder cutShort(boolean cut) {
            cutShort = cut;
            return this;
        }

        public Builder note(String sentence) {
            notes.add(sentence);
            return this;
        }

        public Builder alarm(String sentence) {
            alarms.add(sentence);
            return this;
        }

        public Ledger build() {
            var counts = new EnumMap<WalkOutcome, Long>(WalkOutcome.class);
            for (WalkOutcome outcome : WalkOutcome.values()) {
                if (outcomes[outcome.ordinal()] != 0) {
                    counts.put(outcome, outcomes[outcome.ordinal()]);
                }
            }
            return new Ledger(
                    collector,
                    rate,
                    durationNanos,
                    counts,
                    lost,
                    throttled,
                    duplicates,
                    sampledCpuNanos,
                    procCpuNanos,
                    supersededFrames,
                    continuedStacks,
                    unsavedStacks,
                    inferredLeaves,
                    cutShort,
                    notes,
                    alarms);
        }
    }
}
