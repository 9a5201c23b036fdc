package mayfly.profile.capture;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import mayfly.profile.Detail;
import mayfly.profile.Measure;
import mayfly.profile.SampledThread;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.records.AboutRecords;
import mayfly.profile.capture.records.CaptureFormat;
import mayfly.profile.capture.records.FrameRecords;
import mayfly.profile.capture.records.OutcomeWords;
import mayfly.profile.capture.records.RecordCursor;
import mayfly.profile.capture.records.RecordCursor.BadRecord;
import mayfly.profile.capture.records.SampleTimes;
import mayfly.profile.capture.records.StackRecords;
import mayfly.profile.capture.records.ThreadRecords;
import org.jspecify.annotations.Nullable;

/** Collects the records of a capture one by one, until {@link #take} is called. */
final class TailRecords implements CaptureReader.Records {
    private final AboutRecords about = new AboutRecords(Long.MAX_VALUE);
    private final FrameRecords frames = new FrameRecords(about);
    private final ThreadRecords threads = new ThreadRecords(about);
    private final StackRecords stacks = new StackRecords(Detail.EVERY_SAMPLE, CaptureReader.ANY_REACH);
    private final SampleTimes times = new SampleTimes(about);
    private final OutcomeWords outcomes = new OutcomeWords(about);
    private List<CaptureRecord> found = new ArrayList<>();
    private boolean ended;

    @Override
    public void warn(String sentence) {
        about.warn(sentence);
    }

    /** Returns the records added since the last call. */
    List<CaptureRecord> take() {
        List<CaptureRecord> taken = found;
        found = new ArrayList<>();
        return taken;
    }

    boolean isEnded() {
        return ended;
    }

    @Override
    public void accept(int type, RecordCursor record) throws BadRecord {
        switch (type) {
            case CaptureFormat.META -> {
                String key = about.meta(record);
                found.add(new CaptureRecord.Metadata(key, about.text(key)));
            }
            case CaptureFormat.EVENT -> {
                int id = about.events().count();
                found.add(new CaptureRecord.NewEvent(id, about.events().read(record, about)));
            }
            case CaptureFormat.RUNTIME -> found.add(new CaptureRecord.NewRuntime(about.runtime(record)));
            case CaptureFormat.LIBRARY -> found.add(new CaptureRecord.NewLibrary(frames.library(record)));
            case CaptureFormat.MODE -> frames.mode(record);
            case CaptureFormat.FRAME -> {
                int id = frames.frames().size();
                found.add(new CaptureRecord.NewFrame(id, frames.frame(record)));
            }
            case CaptureFormat.SYMBOL -> {
                int id = frames.symbol(record);
                found.add(new CaptureRecord.Symbol(id, frames.frames().get(id)));
            }
            case CaptureFormat.STACK -> {
                int id = stacks.count();
                stacks.read(record, frames.frames().size());
                found.add(new CaptureRecord.NewStack(
                        id, stacks.parents().get(id), stacks.frames().get(id)));
            }
            case CaptureFormat.THREAD -> {
                int id = threads.count();
                threads.thread(record);
                SampledThread thread = threads.at(id);
                found.add(new CaptureRecord.NewThread(
                        id,
                        thread.tid(),
                        thread.startTicks(),
                        thread.names().getFirst().nanos(),
                        thread.name()));
            }
            case CaptureFormat.THREAD_NAME -> {
                int id = threads.rename(record);
                SampledThread.Name name = threads.at(id).names().getLast();
                found.add(new CaptureRecord.ThreadName(id, name.nanos(), name.name()));
            }
            case CaptureFormat.END -> {
                about.accept(type, record);
                end();
            }
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
        about.events().require(event);
        long at = times.read(record);
        int thread = record.index("thread", threads.count());
        int stack = record.index("stack", stacks.count());
        WalkOutcome outcome = outcomes.read(record);
        long value = record.signed();
        @Nullable Measure[] layout = about.events().layout(event);
        found.add(new CaptureRecord.Sample(
                event, at, thread, stack, outcome, value, layout.length == 1 ? Map.of() : further(layout, record)));
    }

    private Map<Measure, Object> further(@Nullable Measure[] layout, RecordCursor record) throws BadRecord {
        var values = new EnumMap<Measure, Object>(Measure.class);
        for (int i = 1; i < layout.length; i++) {
            Measure measure = layout[i];
            if (measure == null) {
                record.number();
            } else if (measure.isNumber()) {
                values.put(measure, record.signed());
            } else {
                values.put(measure, about.word(record));
            }
        }
        return values;
    }

    private void end() {
        if (!ended) {
            ended = true;
            found.add(new CaptureRecord.End(about.ledgers(), about.warnings(outcomes.unknown())));
        }
    }
}
