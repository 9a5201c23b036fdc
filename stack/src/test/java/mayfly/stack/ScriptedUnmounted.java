package mayfly.stack;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.UnmountedThread;
import mayfly.runtime.thread.UnmountedThreads;
import mayfly.runtime.thread.Unread;

/** A reading of unmounted threads whose outcome a test scripts. */
record ScriptedUnmounted(Deque<Copied> outcomes, List<UnmountedThread> threads) implements UnmountedThreads {

    /** @param outcomes the outcomes of the copies, of which the last one is repeated */
    static ScriptedUnmounted of(List<UnmountedThread> threads, Copied... outcomes) {
        return new ScriptedUnmounted(new ArrayDeque<>(List.of(outcomes)), threads);
    }

    @Override
    public void warmUp() {}

    @Override
    public Copied copy(long deadlineNanos) {
        return outcomes.size() > 1 ? outcomes.remove() : outcomes.element();
    }

    @Override
    public void forEach(Consumer<UnmountedThread> each) {
        threads.forEach(each);
    }

    @Override
    public int mounted() {
        return 3;
    }

    @Override
    public Map<Unread, Integer> unread() {
        return Map.of(Unread.IMPLAUSIBLE, 2);
    }

    @Override
    public boolean areAllRecorded() {
        return false;
    }

    @Override
    public Unread problem() {
        return Unread.NOT_READABLE;
    }

    /** The thread with the id 1 has entered the monitors of all objects. */
    @Override
    public LockOwner ownerOf(long object) {
        return new LockOwner.OfUnmounted(1);
    }
}
