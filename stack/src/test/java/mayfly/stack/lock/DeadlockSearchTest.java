package mayfly.stack.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThread;
import mayfly.stack.ScriptedRuntime;
import org.junit.jupiter.api.Test;

class DeadlockSearchTest {
    private final ScriptedRuntime runtime = new ScriptedRuntime(1);
    /** The CPU time of each thread, by its handle. */
    private final Map<Long, Long> cpu = new HashMap<>();

    private void threads(int count) {
        for (int i = 1; i <= count; i++) {
            runtime.threads.add(new ManagedThread(i, i));
        }
    }

    private List<List<Long>> found() {
        return new DeadlockSearch(runtime, thread -> cpu.getOrDefault(thread.handle(), 0L))
                .find().stream()
                        .map(cycle -> rotated(cycle.keySet().stream()
                                .map(ManagedThread::handle)
                                .toList()))
                        .toList();
    }

    /** Returns the cycle from its least handle on. */
    private static List<Long> rotated(List<Long> cycle) {
        int from = cycle.indexOf(cycle.stream().min(Long::compare).orElseThrow());
        List<Long> rotated = new java.util.ArrayList<>(cycle.subList(from, cycle.size()));
        rotated.addAll(cycle.subList(0, from));
        return rotated;
    }

    @Test
    void eachCycleIsFoundInItsOrderWithoutTheThreadsThatWaitForIt() {
        threads(9);
        runtime.blocks(1, 3);
        runtime.blocks(3, 2);
        runtime.blocks(2, 1);
        runtime.blocks(4, 1);
        runtime.blocks(5, 4);
        runtime.blocks(6, 7);
        runtime.blocks(7, 6);
        runtime.blocks(8, 9);
        assertThat(found()).containsExactlyInAnyOrder(List.of(1L, 3L, 2L), List.of(6L, 7L));
    }

    @Test
    void threadThatIsReadAsTheOwnerOfItsLockIsNoDeadlock() {
        threads(1);
        runtime.blocks(1, 1);
        assertThat(found()).isEmpty();
    }

    @Test
    void locksWithoutAKnownThreadAsOwnerFormNoCycle() {
        threads(2);
        runtime.blocks(1, 2);
        runtime.blocks(2, 1);
        runtime.owners.put(1L, new LockOwner.OfUnmounted(77));
        assertThat(found()).isEmpty();
        runtime.owners.put(1L, LockOwner.NONE);
        assertThat(found()).isEmpty();
        runtime.owners.put(1L, LockOwner.UNKNOWN);
        assertThat(found()).isEmpty();
    }

    @Test
    void threadThatAwaitsANotificationIsInNoCycle() {
        threads(2);
        runtime.blocks(1, 2);
        runtime.blocks(2, 1);
        runtime.waits.put(2L, List.of(new LockWait(LockWait.Kind.NOTIFICATION, "Lock1", 16, 1, null)));
        assertThat(found()).isEmpty();
    }

    @Test
    void cycleThatTheSecondReadingDoesNotHaveIsNotReported() {
        threads(2);
        runtime.blocks(1, 2);
        runtime.blocks(2, 1);
        runtime.waits.put(2L, new java.util.ArrayList<>(List.of(ScriptedRuntime.enter(1), LockWait.NONE)));
        assertThat(found()).isEmpty();
    }

    @Test
    void cycleWithAThreadThatRunsDuringEachReadingIsNotReported() {
        threads(2);
        runtime.blocks(1, 2);
        runtime.blocks(2, 1);
        long[] nanos = {0};
        assertThat(new DeadlockSearch(runtime, thread -> thread.handle() == 2 ? nanos[0]++ : 0).find())
                .isEmpty();
    }

    @Test
    void cycleWithAThreadThatRunsDuringOneReadingIsReported() {
        threads(2);
        runtime.blocks(1, 2);
        runtime.blocks(2, 1);
        int[] calls = {0};
        assertThat(new DeadlockSearch(runtime, thread -> calls[0]++ == 1 ? 1 : 2).find())
                .hasSize(1);
    }

    @Test
    void cycleWithAThreadOfUnknownCpuTimeIsNotReported() {
        threads(2);
        runtime.blocks(1, 2);
        runtime.blocks(2, 1);
        cpu.put(2L, -1L);
        assertThat(found()).isEmpty();
    }
}
