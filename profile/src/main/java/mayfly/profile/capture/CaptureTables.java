package mayfly.profile.capture;

import java.util.Objects;
import mayfly.profile.BadCapture;
import mayfly.profile.Detail;
import mayfly.profile.Ledger;
import mayfly.profile.Measure;
import mayfly.profile.Profile;
import mayfly.profile.Recording;
import mayfly.profile.SampledEvent;
import mayfly.profile.capture.records.AboutRecords;
import mayfly.profile.capture.records.CaptureFormat;
import mayfly.profile.capture.records.EventRecords;
import mayfly.profile.capture.records.FrameRecords;
import mayfly.profile.capture.records.OutcomeWords;
import mayfly.profile.capture.records.RecordCursor;
import mayfly.profile.capture.records.RecordCursor.BadRecord;
import mayfly.profile.capture.records.SampleRecords;
import mayfly.profile.capture.records.SampleTimes;
import mayfly.profile.capture.records.StackRecords;
import mayfly.profile.capture.records.ThreadRecords;
import org.jspecify.annotations.Nullable;

/** The tables built from the records of a capture, with the samples of one of its events. */
final class CaptureTables implements CaptureReader.Records {
    private final AboutRecords about = new AboutRecords(Long.MAX_VALUE);
    private final EventRecords events = about.events();
    private final FrameRecords frames = new FrameRecords(about);
    private final ThreadRecords threads = new ThreadRecords(about);
    private final StackRecords stacks;
    private final SampleRecords samples;
    private final SampleTimes times = new SampleTimes(about);
    private final OutcomeWords outcomes = new OutcomeWords(about);
    private final String eventName;
    /** The words of the measures of the sample that is being read, null for a number. */
    private final @Nullable String[] words = new String[CaptureFormat.MAX_MEASURES];

    private final long[] numbers = new long[CaptureFormat.MAX_MEASURES];
    /** The id of the requested event, -1 until it was read. */
    private int chosen = -1;
    /** True if samples of the event have more than one measure. */
    private boolean several;

    /** @param eventName the requested event, or {@link CaptureReader#FIRST_EVENT} */
    CaptureTables(Detail detail, int reach, String eventName) {
        stacks = new StackRecords(detail, reach);
        samples = new SampleRecords(detail);
        this.eventName = eventName;
    }

    @Override
    public void warn(String sentence) {
        about.warn(sentence);
    }

    @Override
    public void accept(int type, RecordCursor record) throws BadRecord {
        switch (type) {
            case CaptureFormat.FRAME -> frames.frame(record);
            case CaptureFormat.STACK -> stacks.read(record, frames.frames().size());
            case CaptureFormat.THREAD -> threads.thread(record);
            case CaptureFormat.THREAD_NAME -> threads.rename(record);
            case CaptureFormat.SYMBOL -> frames.symbol(record);
            case CaptureFormat.LIBRARY -> frames.library(record);
            case CaptureFormat.MODE -> frames.mode(record);
            case CaptureFormat.EVENT -> event(record);
            default -> {
                if (CaptureFormat.isSample(type)) {
                    sample(type - CaptureFormat.SAMPLE, record);
                } else {
                    about.accept(type, record);
                }
            }
        }
    }

    private void event(RecordCursor record) throws BadRecord {
        SampledEvent event = events.read(record, about);
        if (chosen < 0
                && (eventName.equals(CaptureReader.FIRST_EVENT) || event.name().equals(eventName))) {
            chosen = events.count() - 1;
            several = events.layout(chosen).length > 1;
            samples.begin(event);
        }
    }

    private void sample(int event, RecordCursor record) throws BadRecord {
        events.require(event);
        long at = times.read(record);
        int thread = record.index("thread", threads.count());
        int stack = stacks.stackOf(record.index("stack", stacks.count()));
        int outcome = outcomes.read(record).ordinal();
        if (event != chosen) {
            samples.addOther(at);
            return;
        }
        long value = record.signed();
        int measures = several && samples.wantFurther() ? further(events.layout(event), record) : 1;
        samples.add(at, thread, stack, stacks.depthOf(stack), value, outcome);
        if (several && samples.wantFurther()) {
            addFurther(measures);
        }
    }

    /**
     * Reads the measures after the first one, before the sample is added, because the sample may be truncated. Returns
     * their number.
     */
    private int further(@Nullable Measure[] layout, RecordCursor record) throws BadRecord {
        int place = 1;
        for (int i = 1; i < layout.length; i++) {
            Measure measure = layout[i];
            if (measure == null) {
                record.number();
            } else {
                words[place] = measure.isNumber() ? null : about.word(record);
                numbers[place] = measure.isNumber() ? record.signed() : 0;
                place++;
            }
        }
        return place;
    }

    private void addFurther(int measures) {
        for (int place = 1; place < measures; place++) {
            String word = words[place];
            if (word == null) {
                samples.soFar().addFurther(place, numbers[place]);
            } else {
                samples.soFar().addFurther(place, word);
            }
        }
    }

    Profile profile() throws BadCapture {
        Recording recording = about.recording();
        if (chosen < 0) {
            throw new BadCapture("the capture has no event " + eventName + ", only "
                    + String.join(
                            ", ",
                            recording.events().stream().map(SampledEvent::name).toList()));
        }
        SampledEvent event = recording.events().get(chosen);
        Ledger end = Objects.requireNonNullElseGet(
                about.ledger(chosen), () -> samples.ledger(recording, event, !about.isEnded()));
        return new Profile(
                recording,
                chosen,
                frames.frames(),
                stacks.parents(),
                stacks.frames(),
                frames.libraries(),
                threads.all(),
                samples.rows(),
                samples.haveSameValues(),
                end,
                about.warnings(outcomes.unknown()));
    }
}
