package mayfly.corpus;

import java.util.Arrays;
import mayfly.linux.perf.PerfSample;
import mayfly.linux.trace.ThreadSnapshot;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import mayfly.process.replay.RecordedWalk;

/**
 * Where one walk starts, in arrays that are its giver's and used again.
 *
 * @param tid the thread
 * @param registers its registers
 * @param time when it had them, CLOCK_MONOTONIC in ns
 * @param stack the copy of its stack, from the stack pointer upward
 * @param stackWords how many words of it count
 */
record Sample(int tid, Registers registers, long time, long[] stack, int stackWords) {

    static Sample of(int tid, ThreadSnapshot at) {
        return new Sample(tid, at.registers(), at.time(), at.stack(), at.stackWords());
    }

    static Sample of(PerfSample at) {
        return new Sample(at.tid(), at.registers(), at.time(), at.stack(), at.stackWords());
    }

    /** A copy that stays as it is. */
    RecordedWalk walkedAt(long epochNanos, TargetThread thread) {
        return new RecordedWalk(thread, registers.copy(), time, epochNanos, registers.sp(), Arrays.copyOf(stack, stackWords));
    }
}
