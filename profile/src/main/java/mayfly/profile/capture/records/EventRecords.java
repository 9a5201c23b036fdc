package mayfly.profile.capture.records;

import static mayfly.profile.capture.records.CaptureFormat.MAX_EVENTS;
import static mayfly.profile.capture.records.CaptureFormat.MAX_MEASURES;

import java.util.ArrayList;
import java.util.List;
import mayfly.profile.Measure;
import mayfly.profile.SampledEvent;
import mayfly.profile.Unit;
import mayfly.profile.capture.records.RecordCursor.BadRecord;
import org.jspecify.annotations.Nullable;

/** Reads the events of a capture. */
public final class EventRecords {
    private final List<SampledEvent> events = new ArrayList<>();
    private final List<@Nullable Measure[]> layouts = new ArrayList<>();

    /**
     * Reads the next event.
     *
     * @param about the source of the strings
     * @throws BadRecord if there are {@link CaptureFormat#MAX_EVENTS} already, or the record is malformed or has an
     *         unknown unit
     */
    public SampledEvent read(RecordCursor record, AboutRecords about) throws BadRecord {
        if (events.size() == MAX_EVENTS) {
            throw new BadRecord("more than " + MAX_EVENTS + " events");
        }
        String name = about.word(record);
        String unitWord = about.word(record);
        Unit unit = Unit.of(unitWord);
        if (unit == null) {
            throw new BadRecord("an event with the unknown unit " + unitWord);
        }
        int rate = record.index("rate", Integer.MAX_VALUE);
        long period = Math.max(0, record.number());
        @Nullable Measure[] layout = layout(record, about);
        var known = new ArrayList<Measure>();
        for (Measure measure : layout) {
            if (measure != null) {
                known.add(measure);
            }
        }
        var event = new SampledEvent(name, unit, rate, period, known);
        events.add(event);
        layouts.add(layout);
        return event;
    }

    private static @Nullable Measure[] layout(RecordCursor record, AboutRecords about) throws BadRecord {
        int count = record.index("measures", MAX_MEASURES + 1);
        @Nullable Measure[] layout = new Measure[count];
        for (int i = 0; i < count; i++) {
            String word = about.word(record);
            layout[i] = Measure.of(word);
            for (int before = 0; before < i; before++) {
                if (layout[i] != null && layout[before] == layout[i]) {
                    throw new BadRecord("a repeated measure: " + word);
                }
            }
        }
        Measure first = count == 0 ? null : layout[0];
        if (first == null || !first.isNumber()) {
            throw new BadRecord("an event whose first measure is not a number");
        }
        return layout;
    }

    List<SampledEvent> all() {
        return events;
    }

    public int count() {
        return events.size();
    }

    /** @throws BadRecord if no such event was read */
    SampledEvent at(int id) throws BadRecord {
        require(id);
        return events.get(id);
    }

    /**
     * Requires that an event was read.
     *
     * @param id 0 or more
     * @throws BadRecord if no such event was read
     */
    public void require(int id) throws BadRecord {
        if (id >= events.size()) {
            throw new BadRecord("event " + id + " is not below " + events.size());
        }
    }

    /**
     * Returns the measures of each sample of an event, in the order of the file; null for a measure that this version
     * does not know.
     */
    @Nullable
    public Measure[] layout(int id) {
        return layouts.get(id);
    }
}
