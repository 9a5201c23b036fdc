package mayfly.profile.capture;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.profile.BadCapture;
import mayfly.profile.Measure;
import mayfly.profile.capture.records.AboutRecords;
import mayfly.profile.capture.records.CaptureFormat;
import mayfly.profile.capture.records.EventRecords;
import mayfly.profile.capture.records.RecordCursor;
import mayfly.profile.capture.records.RecordCursor.BadRecord;
import mayfly.profile.capture.records.ThreadRecords;
import org.jspecify.annotations.Nullable;

/** Adds up the samples of a capture by thread, event and state. Keeps neither stacks nor samples. */
final class ThreadSums implements CaptureReader.Records {
    /** Upper bound on the sums by thread. Those of further threads are added up by event. */
    private static final int MAX_SUMS = 1 << 17;
    /** Upper bound on the length of all strings; later ones are read as empty. */
    private static final long MAX_CHARS = 16 << 20;

    /** Comparable, because a file may be made so that the hash codes of its keys are equal. */
    private record Key(int thread, int event, String state) implements Comparable<Key> {
        private static final Comparator<Key> ORDER = Comparator.comparingInt(Key::thread)
                .thenComparingInt(Key::event)
                .thenComparing(Key::state);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    private static final class Sum {
        private long samples;
        private long value;
    }

    private final AboutRecords about = new AboutRecords(MAX_CHARS);
    private final EventRecords events = about.events();
    private final ThreadRecords threads = new ThreadRecords(about);
    private final Map<Key, Sum> sums = new HashMap<>();
    private int stacks = 1;

    @Override
    public void warn(String sentence) {
        about.warn(sentence);
    }

    @Override
    public void accept(int type, RecordCursor record) throws BadRecord {
        switch (type) {
            case CaptureFormat.STACK -> stacks++;
            case CaptureFormat.THREAD -> threads.thread(record);
            case CaptureFormat.THREAD_NAME -> threads.rename(record);
            case CaptureFormat.FRAME, CaptureFormat.SYMBOL, CaptureFormat.LIBRARY, CaptureFormat.MODE -> {}
            default -> {
                if (CaptureFormat.isSample(type)) {
                    sample(type - CaptureFormat.SAMPLE, record);
                } else {
                    about.accept(type, record);
                }
            }
        }
    }

    private void sample(int event, RecordCursor record) throws BadRecord {
        events.require(event);
        record.signed(); // its time
        int thread = record.index("thread", threads.count());
        record.index("stack", stacks);
        about.wordId(record); // its outcome
        long value = Math.max(0, record.signed());
        Sum sum = sum(new Key(thread, event, state(event, record)));
        sum.samples++;
        sum.value += value;
    }

    /** Reads the measures after the first one. Returns the state, empty if the event has none. */
    private String state(int event, RecordCursor record) throws BadRecord {
        @Nullable Measure[] layout = events.layout(event);
        for (int i = 1; i < layout.length; i++) {
            if (layout[i] == Measure.STATE) {
                return about.word(record);
            }
            record.number(); // a number of any kind has as many bytes as an unsigned one
        }
        return "";
    }

    private Sum sum(Key key) {
        Sum sum = sums.get(key);
        if (sum != null) {
            return sum;
        }
        Key added = sums.size() < MAX_SUMS ? key : new Key(ThreadTotals.FURTHER, key.event, "");
        return sums.computeIfAbsent(added, none -> new Sum());
    }

    ThreadTotals totals() throws BadCapture {
        List<ThreadTotals.Total> totals = new ArrayList<>(sums.size());
        sums.forEach((key, sum) ->
                totals.add(new ThreadTotals.Total(key.thread, key.event, key.state, sum.samples, sum.value)));
        return new ThreadTotals(about.recording(), threads.all(), totals, about.warnings(0));
    }
}
