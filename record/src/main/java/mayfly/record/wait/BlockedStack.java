package mayfly.record.wait;

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
 * @param words the stack, from the stack pointer upward; empty if it was not copied
 * @param managed the registers with which the thread left managed code; null if its runtime has not recorded them
 * @param reason the reason for the wait
 * @param kernel the frames in the kernel, innermost first; empty if they may not be read
 * @param lock the lock for which the thread waited; null if it waited for none, or if locks are not read
 */
public record BlockedStack(
        long begun,
        long time,
        Registers registers,
        long[] words,
        @Nullable Registers managed,
        WaitReason reason,
        List<Frame.Kernel> kernel,
        @Nullable ContendedLock lock) {

    /** Returns the copy with the lock for which the thread waited. */
    public BlockedStack with(ContendedLock read) {
        return new BlockedStack(begun, time, registers, words, managed, reason, kernel, read);
    }

    /** Returns a time after which nothing about the wait was read. */
    long settled() {
        return lock == null ? time : Math.max(time, lock.ownerNanos());
    }

    /** Returns the copy for a wait that ended after the copy and before the owner of its lock was read. */
    BlockedStack withUnknownOwner() {
        return lock == null ? this : with(lock.withUnknownOwner(time));
    }
}
