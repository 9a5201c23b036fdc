package mayfly.record.event;

import java.util.List;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import org.jspecify.annotations.Nullable;

/**
 * The copied stack of a thread that was blocked in the kernel during the whole copy.
 *
 * @param begun a time before the copy, CLOCK_MONOTONIC in ns
 * @param time a time after the copy
 * @param registers the stack pointer and the program counter; the others are unknown
 * @param words the stack, from the stack pointer upward
 * @param managed the registers with which the thread left managed code; null if its runtime has not recorded them
 * @param reason the reason for the wait
 * @param kernel the frames in the kernel, innermost first; empty if they may not be read
 */
record BlockedStack(
        long begun,
        long time,
        Registers registers,
        long[] words,
        @Nullable Registers managed,
        WaitReason reason,
        List<Frame.Kernel> kernel) {

    /**
     * Begins a sample, and walks the stack. If the native code at the leaf cannot be stepped over, the walk continues
     * at the frame that the runtime has recorded.
     */
    SampleSink.Walk walk(int tid, SampleSink sink) {
        sink.begin();
        kernel.forEach(sink::accept);
        SampleSink.Walk walk = sink.walk(tid, time, registers, _ -> words, words.length);
        Registers last = managed;
        return last != null && walk.outcome().isBroken() && walk.innermostManaged() == null && contains(last.sp())
                ? sink.continueAt(tid, time, last, _ -> words, words.length, registers.sp())
                : walk;
    }

    private boolean contains(long sp) {
        long above = sp - registers.sp();
        return above >= 0 && above <= 8L * words.length && (sp & 7) == 0;
    }
}
