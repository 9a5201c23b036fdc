package mayfly.host.frame;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.OptionalInt;
import java.util.concurrent.locks.ReentrantLock;
import mayfly.api.thread.Blocker;
import mayfly.api.thread.HeldMonitor;
import org.junit.jupiter.api.Test;

class ManagedThreadTest {
    private static final StackTraceElement SHOWN = new StackTraceElement("a.Class", "method", null, -1);
    private static final StackTraceElement HIDDEN =
            new StackTraceElement("java.lang.invoke.LambdaForm$MH/0x1", "invoke", null, -1);

    @Test
    void framesOfAWalkAreCountedFromTheRoot() {
        StackTraceElement[] stack = {SHOWN, HIDDEN, SHOWN, SHOWN};
        assertThat(HiddenMethods.contain(HIDDEN)).isTrue();
        assertThat(ManagedThread.reported(stack, true, 4)).containsExactly(0, 1, 2, 3);
        assertThat(ManagedThread.reported(stack, false, 3)).containsExactly(0, -1, 1, 2);
        assertThat(ManagedThread.reported(stack, false, 1)).containsExactly(-1, -1, -1, 0);
        assertThat(ManagedThread.reported(stack, false, 0)).containsOnly(-1);
        assertThat(ManagedThread.reported(new StackTraceElement[0], true, 0)).isEmpty();
    }

    @Test
    void locksOfTheCallingThreadAreThoseThatItOwns() {
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        try {
            assertOwned();
        } finally {
            lock.unlock();
        }
    }

    private synchronized void assertOwned() {
        long[] self = {Thread.currentThread().getId()};
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(self, true, true)[0];
        ManagedThread thread = new ManagedThread(info);
        int[] reported = new int[thread.stack().length];
        for (int i = 0; i < reported.length; i++) {
            reported[i] = thread.stack()[i].getClassName().equals(getClass().getName()) ? 7 : -1;
        }
        Blocker monitor = new Blocker(getClass().getName(), System.identityHashCode(this));
        assertThat(thread.monitors(reported)).contains(new HeldMonitor(monitor, OptionalInt.of(7)));
        assertThat(thread.monitors(new int[0])).contains(new HeldMonitor(monitor, OptionalInt.empty()));
        assertThat(thread.synchronizers())
                .extracting(Blocker::className)
                .contains("java.util.concurrent.locks.ReentrantLock$NonfairSync");
        assertThat(thread.state()).isEqualTo(Thread.State.RUNNABLE);
        assertThat(thread.blocker()).isEmpty();
        assertThat(thread.owner()).isNegative();
    }
}
