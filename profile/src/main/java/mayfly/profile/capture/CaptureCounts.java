package mayfly.profile.capture;

import mayfly.profile.BadCapture;
import mayfly.profile.Recording;
import mayfly.profile.StackTable;
import mayfly.profile.capture.records.AboutRecords;
import mayfly.profile.capture.records.CaptureFormat;
import mayfly.profile.capture.records.EventRecords;
import mayfly.profile.capture.records.RecordCursor;
import mayfly.profile.capture.records.RecordCursor.BadRecord;

/** Counts the records of a capture in constant memory, except for its strings, whose total size is bounded. */
final class CaptureCounts implements CaptureReader.Records {
    /**
     * Upper bound on the total length of all strings. Later strings are read as empty, so metadata at the end of the
     * capture is lost.
     */
    private static final long MAX_CHARS = 16 << 20;
    /**
     * The number of stacks whose hash is kept. A recorder rarely refers to a stack before the last {@link
     * StackTable#MAX_STACKS}.
     */
    private static final int HASHES = StackTable.MAX_STACKS * 2;

    private final AboutRecords about = new AboutRecords(MAX_CHARS);
    private final EventRecords events = about.events();
    private final DistinctCount distinctStacks = new DistinctCount();
    private final DistinctCount sampledStacks = new DistinctCount();
    private final DistinctCount distinctSamples = new DistinctCount();
    /** Hashes of the last stacks, by their ids. */
    private final long[] hashes = new long[HASHES];

    private long stringBytes;
    private int frames;
    private int stacks = 1;
    private int threads;
    private int reach;
    private long samples;

    @Override
    public void warn(String sentence) {
        about.warn(sentence);
    }

    @Override
    public void accept(int type, RecordCursor record) throws BadRecord {
        switch (type) {
            case CaptureFormat.FRAME -> frames++;
            case CaptureFormat.STACK -> stack(record);
            case CaptureFormat.THREAD -> thread();
            case CaptureFormat.THREAD_NAME, CaptureFormat.SYMBOL, CaptureFormat.LIBRARY, CaptureFormat.MODE -> {}
            default -> {
                if (CaptureFormat.isSample(type)) {
                    sample(type - CaptureFormat.SAMPLE, record);
                    return;
                }
                stringBytes += type == CaptureFormat.STRING ? record.remaining() : 0;
                about.accept(type, record);
            }
        }
    }

    private void thread() throws BadRecord {
        about.start();
        threads++;
    }

    private void stack(RecordCursor record) throws BadRecord {
        if (stacks == Integer.MAX_VALUE) {
            throw new BadRecord("more stacks than can be numbered");
        }
        int back = record.index("parent", stacks + 1);
        if (back == 0) {
            throw new BadRecord("a stack that is its own parent");
        }
        int frame = record.index("frame", frames);
        long hash = DistinctCount.mix(hashOf(stacks - back), frame);
        hashes[stacks & HASHES - 1] = hash;
        distinctStacks.add(hash);
        stacks++;
    }

    /** Returns the hash of a stack. If it is no longer kept, the stack counts as different from all others. */
    private long hashOf(int stack) {
        reach = stack == 0 ? reach : Math.max(reach, stacks - stack);
        return stack == 0 || stacks - stack > HASHES ? stack : hashes[stack & HASHES - 1];
    }

    private void sample(int event, RecordCursor record) throws BadRecord {
        about.start();
        events.require(event);
        record.signed();
        int thread = record.index("thread", threads);
        int stack = record.index("stack", stacks);
        int outcome = about.wordId(record);
        samples++;
        sampledStacks.add(DistinctCount.mix(hashOf(stack), 0));
        long hash = DistinctCount.mix(hashOf(stack), (long) thread << 32 | outcome);
        distinctSamples.add(event == 0 ? hash : DistinctCount.mix(hash, event));
    }

    CaptureSummary summary() throws BadCapture {
        Recording recording = about.recording();
        return new CaptureSummary(
                recording,
                about.warnings(0),
                about.words(),
                stringBytes,
                frames,
                stacks - 1L,
                Math.min(distinctStacks.estimate(), stacks - 1L),
                reach,
                threads,
                samples,
                Math.min(sampledStacks.estimate(), samples),
                Math.min(distinctSamples.estimate(), samples));
    }
}
