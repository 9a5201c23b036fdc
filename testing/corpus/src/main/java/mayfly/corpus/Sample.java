package mayfly.corpus;

import java.util.Arrays;
import mayfly.linux.perf.PerfSample;
import mayfly.linux.trace.ThreadSnapshot;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import mayfly.process.replay.RecordedWalk;

/**
 * The input of one walk, in arrays that the caller reuses.
 *
 * @param tid the thread
 * @param registers its registers
 * @param time the time of the registers, CLOCK_MONOTONIC in ns
 * @param stack the copy of its stack, from the stack pointer upward
 * @param stackWords the number of valid words of the copy
 */
record Sample(int tid, Registers registers, long time, long[] stack, int stackWords) {

    static Sample of(int tid, ThreadSnapshot at) {
        return new Sample(tid, at.registers(), at.time(), at.stack(), at.stackWords());
    }

    static Sample of(PerfSample at) {
        return new Sample(at.tid(), at.registers(), at.time(), at.stack(), at.stackWords());
    }

    /** Returns an immutable copy. */
    RecordedWalk walkedAt(long epochNanos, TargetThread thread) {
        return new RecordedWalk(
                thread, registers.copy(), time, epochNanos, registers.sp(), Arrays.copyOf(stack, stackWords));
    }
}
