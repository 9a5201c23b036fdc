package mayfly.profile.capture;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import mayfly.profile.Detail;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.Profile;
import mayfly.profile.Recording;
import mayfly.profile.RuntimeId;
import mayfly.profile.SampledThread;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.RecordCursor.BadRecord;

/** What the records of a capture add up to. */
final class CaptureTables implements CaptureReader.Records {
    private final AboutRecords about = new AboutRecords(Long.MAX_VALUE);
    private final List<Frame> frames = new ArrayList<>();
    private final StackRecords stacks;
    private final List<ReadThread> threads = new ArrayList<>();
    private final SampleRecords samples;
    private final Map<String, WalkOutcome> outcomeWords = new HashMap<>();
    private boolean started;
    private long lastNanos;
    private final Map<Long, Integer> kernelSites = new HashMap<>();
    private long unknownOutcomes;

    private record ReadThread(int tid, long startTicks, List<SampledThread.Name> names) {}

    CaptureTables(Detail detail, int reach) {
        stacks = new StackRecords(detail, reach);
        samples = new SampleRecords(detail);
        for (WalkOutcome outcome : WalkOutcome.values()) {
            outcomeWords.put(outcome.id(), outcome);
        }
    }

    @Override
    public void warn(String sentence) {
        about.warn(sentence);
    }

    @Override
    public void accept(int type, RecordCursor record) throws BadRecord {
        switch (type) {
            case CaptureFormat.FRAME -> frames.add(frame(record));
            case CaptureFormat.STACK -> stacks.read(record, frames.size());
            case CaptureFormat.THREAD -> thread(record);
            case CaptureFormat.THREAD_NAME -> threadName(record);
            case CaptureFormat.SAMPLE -> sample(record);
            case CaptureFormat.SYMBOL -> symbol(record);
            default -> about.accept(type, record);
        }
    }

    private Frame frame(RecordCursor record) throws BadRecord {
        long kind = record.number();
        if (kind == CaptureFormat.JAVA) {
            RuntimeId runtime = runtime(record);
            long code = record.number();
            String[] mode = CaptureFormat.mode(code);
            if (mode == null) {
                throw new BadRecord("tier " + Long.toUnsignedString(code));
            }
            return new Frame.Managed(runtime, "java", mode[0], mode[1], about.word(record), about.word(record),
                    about.word(record),
                    record.index("bytecode index", Integer.MAX_VALUE) - 1, record.index("line", Integer.MAX_VALUE) - 1,
                    "", CaptureFormat.certainty(record.remaining() > 0 ? record.number() : 0));
        }
        if (kind == CaptureFormat.STUB) {
            return new Frame.Stub(runtime(record), about.word(record));
        }
        if (kind == CaptureFormat.NATIVE) {
            boolean vm = (record.number() & 1) != 0;
            String library = about.word(record);
            long address = record.number();
            return new Frame.Native(library, address, about.word(record), vm);
        }
        if (kind == CaptureFormat.OMITTED) {
            return new Frame.Omitted(Math.max(0, record.number()));
        }
        if (kind == CaptureFormat.KERNEL) {
            return new Frame.Kernel(kernelSite(record.number()), about.word(record));
        }
        throw new BadRecord("a frame of kind " + Long.toUnsignedString(kind));
    }

    /** Files of earlier versions have an address of the kernel here, which is shown to no reader. */
    private int kernelSite(long number) {
        return kernelSites.computeIfAbsent(number, _ -> kernelSites.size());
    }

    private static RuntimeId runtime(RecordCursor record) throws BadRecord {
        int number = record.index("runtime", Integer.MAX_VALUE);
        if (number == 0) {
            throw new BadRecord("runtime 0");
        }
        return new RuntimeId(number);
    }

    private void thread(RecordCursor record) throws BadRecord {
        int tid = record.index("tid", Integer.MAX_VALUE);
        long startTicks = record.number();
        var names = new ArrayList<SampledThread.Name>(1);
        names.add(new SampledThread.Name(about.start().monotonicNanos() + record.signed(), about.word(record)));
        threads.add(new ReadThread(tid, startTicks, names));
    }

    private void threadName(RecordCursor record) throws BadRecord {
        ReadThread thread = threads.get(record.index("thread", threads.size()));
        var name = new SampledThread.Name(about.start().monotonicNanos() + record.signed(), about.word(record));
        if (thread.names.size() < AboutRecords.MAX_SENTENCES) {
            thread.names.add(name);
        }
    }

    private void sample(RecordCursor record) throws BadRecord {
        if (!started) {
            lastNanos = about.start().monotonicNanos();
            started = true;
        }
        long at = lastNanos + record.signed();
        int thread = record.index("thread", threads.size());
        int stack = stacks.stackOf(record.index("stack", stacks.count()));
        long value = record.signed();
        WalkOutcome outcome = outcome(about.wordId(record));
        samples.add(at, thread, stack, stacks.depthOf(stack), value, outcome.ordinal());
        lastNanos = at;
    }

    private WalkOutcome outcome(int word) {
        if (word == 0) {
            return WalkOutcome.COMPLETE;
        }
        WalkOutcome outcome = outcomeWords.get(about.word(word));
        if (outcome == null) {
            unknownOutcomes++;
            return WalkOutcome.BAD_METADATA;
        }
        return outcome;
    }

    private void symbol(RecordCursor record) throws BadRecord {
        int id = record.index("frame", frames.size());
        String symbol = about.word(record);
        switch (frames.get(id)) {
            case Frame.Native f -> frames.set(id, new Frame.Native(f.library(), f.address(), symbol, f.vm()));
            case Frame.Kernel f -> frames.set(id, new Frame.Kernel(f.site(), symbol));
            case Frame.Managed _, Frame.Stub _, Frame.Omitted _ ->
                    throw new BadRecord("a symbol for frame " + id + ", not native");
        }
    }

    Profile profile() throws BadCapture {
        Recording recording = about.recording();
        var list = new ArrayList<SampledThread>(threads.size());
        threads.forEach(thread -> list.add(new SampledThread(thread.tid, thread.startTicks, thread.names)));
        Ledger end = Objects.requireNonNullElseGet(about.ledger(), () -> samples.ledger(recording));
        return new Profile(recording, frames, stacks.parents(), stacks.frames(), list, samples.rows(),
                samples.haveSameValues(), end, about.warnings(unknownOutcomes));
    }
}
