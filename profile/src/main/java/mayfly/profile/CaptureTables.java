package mayfly.profile;

import static mayfly.profile.CaptureFormat.MAX_STACK_DEPTH;
import static mayfly.profile.CaptureFormat.MAX_STRING_BYTES;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.profile.RecordCursor.BadRecord;
import org.jspecify.annotations.Nullable;

/** What the records of a capture add up to. */
final class CaptureTables {
    /** As many notes, runtimes and names as anybody would read. */
    private static final int MAX_SENTENCES = 1000;

    private final List<String> strings = new ArrayList<>(List.of(""));
    private final List<Frame> frames = new ArrayList<>();
    private final Numbers.Ints parents = new Numbers.Ints();
    private final Numbers.Ints stackFrames = new Numbers.Ints();
    private final Numbers.Ints depths = new Numbers.Ints();
    private final List<ReadThread> threads = new ArrayList<>();
    private final Numbers.Longs nanos = new Numbers.Longs();
    private final Numbers.Ints sampleThreads = new Numbers.Ints();
    private final Numbers.Ints sampleStacks = new Numbers.Ints();
    private final Numbers.Longs values = new Numbers.Longs();
    private final ByteArrayOutputStream outcomes = new ByteArrayOutputStream();
    private final Map<String, WalkOutcome> outcomeWords = new HashMap<>();
    private final Map<String, String> metadata = new HashMap<>();
    private final List<String> runtimes = new ArrayList<>();
    private final LedgerRecords ledger = new LedgerRecords();
    private final List<String> warnings = new ArrayList<>();
    private @Nullable Recording recording;
    private long lastNanos;
    private long unknownRecords;
    private long unknownOutcomes;
    private boolean ended;

    private record ReadThread(int tid, long startTicks, List<SampledThread.Name> names) {}

    CaptureTables() {
        parents.add(0);
        stackFrames.add(0);
        depths.add(0);
        for (WalkOutcome outcome : WalkOutcome.values()) {
            outcomeWords.put(outcome.id(), outcome);
        }
    }

    void warn(String sentence) {
        warnings.add(sentence);
    }

    void accept(int type, RecordCursor record) throws BadRecord {
        switch (type) {
            case CaptureFormat.STRING -> string(record);
            case CaptureFormat.FRAME -> frames.add(frame(record));
            case CaptureFormat.STACK -> stack(record);
            case CaptureFormat.THREAD -> thread(record);
            case CaptureFormat.THREAD_NAME -> threadName(record);
            case CaptureFormat.SAMPLE -> sample(record);
            case CaptureFormat.SYMBOL -> symbol(record);
            case CaptureFormat.META -> meta(word(record), word(record));
            case CaptureFormat.FIGURE -> ledger.figure(word(record), record.signed());
            case CaptureFormat.SENTENCE -> ledger.sentence(word(record), word(record));
            case CaptureFormat.END -> ended = true;
            default -> unknownRecords++;
        }
    }

    private void string(RecordCursor record) throws BadRecord {
        if (record.remaining() > MAX_STRING_BYTES) {
            throw new BadRecord("a string of " + record.remaining() + " bytes");
        }
        strings.add(record.text());
    }

    private String word(RecordCursor record) throws BadRecord {
        return strings.get(record.index("string", strings.size()));
    }

    private Frame frame(RecordCursor record) throws BadRecord {
        long kind = record.number();
        if (kind == CaptureFormat.JAVA) {
            RuntimeId runtime = runtime(record);
            long code = record.number();
            Frame.Tier tier = CaptureFormat.tier(code);
            if (tier == null) {
                throw new BadRecord("tier " + Long.toUnsignedString(code));
            }
            return new Frame.Java(runtime, tier, word(record), word(record), word(record),
                    record.index("bytecode index", Integer.MAX_VALUE) - 1, record.index("line", Integer.MAX_VALUE) - 1);
        }
        if (kind == CaptureFormat.STUB) {
            return new Frame.Stub(runtime(record), word(record));
        }
        if (kind == CaptureFormat.NATIVE) {
            boolean vm = (record.number() & 1) != 0;
            String library = word(record);
            long address = record.number();
            return new Frame.Native(library, address, word(record), vm);
        }
        if (kind == CaptureFormat.KERNEL) {
            return new Frame.Kernel(record.number(), word(record));
        }
        throw new BadRecord("a frame of kind " + Long.toUnsignedString(kind));
    }

    private static RuntimeId runtime(RecordCursor record) throws BadRecord {
        int number = record.index("runtime", Integer.MAX_VALUE);
        if (number == 0) {
            throw new BadRecord("runtime 0");
        }
        return new RuntimeId(number);
    }

    private void stack(RecordCursor record) throws BadRecord {
        int id = parents.size();
        int back = record.index("parent", id + 1);
        if (back == 0) {
            throw new BadRecord("a stack that is its own parent");
        }
        int parent = id - back;
        int depth = depths.get(parent) + 1;
        if (depth > MAX_STACK_DEPTH) {
            throw new BadRecord("a stack of more than " + MAX_STACK_DEPTH + " frames");
        }
        int frame = record.index("frame", frames.size());
        parents.add(parent);
        stackFrames.add(frame);
        depths.add(depth);
    }

    private void thread(RecordCursor record) throws BadRecord {
        int tid = record.index("tid", Integer.MAX_VALUE);
        long startTicks = record.number();
        var names = new ArrayList<SampledThread.Name>(1);
        names.add(new SampledThread.Name(start().monotonicNanos() + record.signed(), word(record)));
        threads.add(new ReadThread(tid, startTicks, names));
    }

    private void threadName(RecordCursor record) throws BadRecord {
        ReadThread thread = threads.get(record.index("thread", threads.size()));
        var name = new SampledThread.Name(start().monotonicNanos() + record.signed(), word(record));
        if (thread.names.size() < MAX_SENTENCES) {
            thread.names.add(name);
        }
    }

    private void sample(RecordCursor record) throws BadRecord {
        start();
        long at = lastNanos + record.signed();
        int thread = record.index("thread", threads.size());
        int stack = record.index("stack", parents.size());
        long value = record.signed();
        WalkOutcome outcome = outcome(record.index("string", strings.size()));
        nanos.add(at);
        sampleThreads.add(thread);
        sampleStacks.add(stack);
        values.add(value);
        outcomes.write(outcome.ordinal());
        lastNanos = at;
    }

    private WalkOutcome outcome(int word) {
        if (word == 0) {
            return WalkOutcome.COMPLETE;
        }
        WalkOutcome outcome = outcomeWords.get(strings.get(word));
        if (outcome == null) {
            unknownOutcomes++;
            return WalkOutcome.BAD_METADATA;
        }
        return outcome;
    }

    private void symbol(RecordCursor record) throws BadRecord {
        int id = record.index("frame", frames.size());
        String symbol = word(record);
        switch (frames.get(id)) {
            case Frame.Native f -> frames.set(id, new Frame.Native(f.library(), f.address(), symbol, f.vm()));
            case Frame.Kernel f -> frames.set(id, new Frame.Kernel(f.address(), symbol));
            case Frame.Java _, Frame.Stub _ -> throw new BadRecord("a symbol for frame " + id + ", not native");
        }
    }

    private void meta(String key, String value) {
        if (!key.equals("runtime")) {
            metadata.put(key, value);
        } else if (runtimes.size() < MAX_SENTENCES) {
            runtimes.add(value);
        }
    }

    /** The metadata, which must have come before the first thread and sample; only runtimes may come later. */
    private Recording start() throws BadRecord {
        if (recording == null) {
            recording = metadata();
            lastNanos = recording.monotonicNanos();
        }
        return recording;
    }

    private Recording metadata() throws BadRecord {
        return new Recording((int) number("pid"), text("command_line"), text("main_class"), text("jvm_version"),
                runtimes, text("event"), unit(), (int) number("rate"), text("collector"), text("host_kernel"),
                (int) number("cpus"), number("epoch_nanos"), number("monotonic_nanos"));
    }

    private Unit unit() throws BadRecord {
        Unit unit = Unit.of(text("unit"));
        if (unit == null) {
            throw new BadRecord("unit " + text("unit"));
        }
        return unit;
    }

    private String text(String key) {
        return metadata.getOrDefault(key, "");
    }

    private long number(String key) throws BadRecord {
        String text = metadata.getOrDefault(key, "0");
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException _) {
            throw new BadRecord(key + " is no number");
        }
    }

    Profile profile() throws BadCapture {
        Recording about;
        try {
            start();
            about = metadata();
        } catch (BadRecord e) {
            throw new BadCapture("the capture ends before it says what it is of: " + e.getMessage());
        }
        if (unknownRecords > 0) {
            warn(unknownRecords + " records of an unknown kind were skipped: a later version wrote them");
        }
        if (unknownOutcomes > 0) {
            warn(unknownOutcomes + " samples end for a reason that this version does not know");
        }
        if (!ended && warnings.isEmpty()) {
            warn("the recording was cut short: it has no ledger");
        }
        byte[] ends = outcomes.toByteArray();
        var list = new ArrayList<SampledThread>(threads.size());
        threads.forEach(thread -> list.add(new SampledThread(thread.tid, thread.startTicks, thread.names)));
        long[] times = nanos.toArray();
        long[] sampleValues = values.toArray();
        Ledger end = ended ? ledger.ledger() : LedgerRecords.counted(about, times, sampleValues, ends);
        return new Profile(about, frames, parents.toArray(), stackFrames.toArray(), list, times,
                sampleThreads.toArray(),
                sampleStacks.toArray(), sampleValues, ends, end, warnings);
    }
}
