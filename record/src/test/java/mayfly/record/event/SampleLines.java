package mayfly.record.event;

import java.util.ArrayList;
import java.util.List;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.unwind.StackSnapshot;
import org.jspecify.annotations.Nullable;

/** Writes each sample as a line: the thread, the time, the value, the state if it has one, and the
 * frames, innermost first. */
final class SampleLines implements SampleSink {
    /** A thread whose stacks have no managed frame. */
    static final int NATIVE = 15;

    final List<String> written = new ArrayList<>();
    private final List<String> words = new ArrayList<>();
    private final List<String> stacks = new ArrayList<>();
    private final List<String> frames = new ArrayList<>();

    @Override
    public void begin() {
        frames.clear();
    }

    @Override
    public void kernelFrame(long address) {
        frames.add("kernel");
    }

    @Override
    public void accept(Frame frame) {
        frames.add(frame.label());
    }

    @Override
    public Walk walk(int tid, long time, Registers registers, StackSnapshot.Words words, int count) {
        frames.add("leaf of " + tid);
        return new Walk() {
            @Override
            public WalkOutcome outcome() {
                return WalkOutcome.COMPLETE;
            }

            @Override
            public long stackEnd() {
                return 0;
            }

            @Override
            public Frame.@Nullable Managed innermostManaged() {
                return tid == NATIVE
                        ? null
                        : new Frame.Managed(
                                new RuntimeId(1), "java", Frame.Managed.COMPILED, "C2", "Orders", "count", "", 0, -1);
            }

            @Override
            public boolean startsInManagedCode() {
                return tid != NATIVE;
            }

            @Override
            public void drop() {
                frames.clear();
            }
        };
    }

    @Override
    public Walk continueAt(
            int tid, long time, Registers managed, StackSnapshot.Words words, int count, long stackPointer) {
        throw new IllegalStateException("not used");
    }

    @Override
    public int keep() {
        String stack = String.join(" ", frames);
        if (!stacks.contains(stack)) {
            stacks.add(stack);
        }
        return stacks.indexOf(stack);
    }

    @Override
    public void write(int tid, long time, long[] values, WalkOutcome outcome, int stack) {
        String state = values.length > 1 ? " " + words.get((int) values[1]) : "";
        written.add(tid + " " + time + " " + values[0] + state + ": " + stacks.get(stack));
    }

    @Override
    public void write(int tid, long time, long value, WalkOutcome outcome) {
        written.add(tid + " " + time + " " + value + ": " + String.join(" ", frames));
    }

    @Override
    public void write(int tid, long time, long[] values, WalkOutcome outcome) {
        write(tid, time, values, outcome, keep());
    }

    @Override
    public int word(String text) {
        words.add(text);
        return words.size() - 1;
    }

    @Override
    public void renamed(int tid, String name, long time) {
        written.add(tid + " is " + name);
    }

    @Override
    public void born(int parent, int tid, long time) {
        written.add(tid + " is born");
    }
}
