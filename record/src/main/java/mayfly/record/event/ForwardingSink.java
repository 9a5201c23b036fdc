package mayfly.record.event;

import mayfly.process.Registers;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.unwind.StackSnapshot;

/** Passes everything on to another sink. A subclass changes what it overrides. */
abstract class ForwardingSink implements SampleSink {
    private final SampleSink sink;

    ForwardingSink(SampleSink sink) {
        this.sink = sink;
    }

    @Override
    public void begin() {
        sink.begin();
    }

    @Override
    public void kernelFrame(long address) {
        sink.kernelFrame(address);
    }

    @Override
    public void accept(Frame frame) {
        sink.accept(frame);
    }

    @Override
    public Walk walk(int tid, long time, Registers registers, StackSnapshot.Words words, int count) {
        return sink.walk(tid, time, registers, words, count);
    }

    @Override
    public Walk continueAt(
            int tid, long time, Registers managed, StackSnapshot.Words words, int count, long stackPointer) {
        return sink.continueAt(tid, time, managed, words, count, stackPointer);
    }

    @Override
    public int keep() throws CaptureWriteException {
        return sink.keep();
    }

    @Override
    public void write(int tid, long time, long[] values, WalkOutcome outcome, int stack) throws CaptureWriteException {
        sink.write(tid, time, values, outcome, stack);
    }

    @Override
    public void write(int tid, long time, long value, WalkOutcome outcome) throws CaptureWriteException {
        sink.write(tid, time, value, outcome);
    }

    @Override
    public void write(int tid, long time, long[] values, WalkOutcome outcome) throws CaptureWriteException {
        sink.write(tid, time, values, outcome);
    }

    @Override
    public int word(String text) throws CaptureWriteException {
        return sink.word(text);
    }

    @Override
    public void renamed(int tid, String name, long time) throws CaptureWriteException {
        sink.renamed(tid, name, time);
    }

    @Override
    public void born(int parent, int tid, long time) {
        sink.born(parent, tid, time);
    }
}
