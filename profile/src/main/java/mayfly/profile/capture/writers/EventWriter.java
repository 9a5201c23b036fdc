package mayfly.profile.capture.writers;

import static mayfly.profile.capture.records.CaptureFormat.MAX_EVENTS;

import java.util.ArrayList;
import java.util.List;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Measure;
import mayfly.profile.SampledEvent;
import mayfly.profile.capture.records.CaptureFormat;

/** Writes the events of a capture. */
public final class EventWriter {
    private final BlockOutput out;
    private final WordWriter words;
    private final List<SampledEvent> events = new ArrayList<>();
    /** The number of measures of each event, by its id; 0 for an id without an event. */
    private final int[] measureCounts = new int[MAX_EVENTS];

    public EventWriter(BlockOutput out, WordWriter words) {
        this.out = out;
        this.words = words;
    }

    /**
     * Writes an event. Returns its id: 0, 1, …
     *
     * @throws CaptureWriteException if the capture cannot be written
     * @throws IllegalStateException if there are {@link CaptureFormat#MAX_EVENTS} already
     */
    public int event(SampledEvent event) throws CaptureWriteException {
        if (events.size() == MAX_EVENTS) {
            throw new IllegalStateException("a capture has at most " + MAX_EVENTS + " events");
        }
        int name = words.word(event.name());
        int unit = words.word(event.unit().id());
        int[] measures = new int[event.measures().size()];
        for (int i = 0; i < measures.length; i++) {
            measures[i] = words.word(event.measures().get(i).id());
        }
        RecordBuffer record = out.begin(CaptureFormat.EVENT);
        record.number(name);
        record.number(unit);
        record.number(event.rate());
        record.number(event.period());
        record.number(measures.length);
        for (int measure : measures) {
            record.number(measure);
        }
        record.end();
        measureCounts[events.size()] = measures.length;
        events.add(event);
        return events.size() - 1;
    }

    /** Returns the number of events so far. */
    public int count() {
        return events.size();
    }

    /** @throws IllegalArgumentException if there is no such event, or it has another number of measures */
    void require(int event, int measures) {
        if (event < 0 || event >= MAX_EVENTS || measureCounts[event] != measures || measures == 0) {
            throw new IllegalArgumentException("no event " + event + " of " + measures + " measures");
        }
    }

    List<Measure> measures(int event) {
        return events.get(event).measures();
    }
}
