package mayfly.stack.state;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.stack.state.LockReport.AwaitedLock;
import org.jspecify.annotations.Nullable;

/**
 * The virtual threads of a dump that are not mounted, so that no thread of the kernel runs them. Strings come from the
 * target: untrusted text.
 *
 * @param groups the threads with equal stacks and states, the largest group first
 * @param mounted the number of virtual threads that are mounted; each is shown with its carrier
 * @param unread the number of threads that could not be read, by the reason
 * @param problems for each runtime whose list of virtual threads could not be read, the reason
 * @param areAllRecorded false if a runtime does not record all virtual threads, because the program was started with
 *     -Djdk.trackAllThreads=false: those that no executor and no scope started are missing then
 */
public record VirtualThreadReport(
        List<Group> groups,
        int mounted,
        Map<String, Integer> unread,
        Map<RuntimeId, String> problems,
        boolean areAllRecorded) {

    public VirtualThreadReport {
        groups = List.copyOf(groups);
        unread = Collections.unmodifiableMap(new TreeMap<>(unread));
        problems = Collections.unmodifiableMap(new LinkedHashMap<>(problems));
    }

    /**
     * Threads with equal stacks and states.
     *
     * @param runtime the runtime
     * @param state the state of the threads
     * @param outcome the outcome of the walks
     * @param stack the frames, leaf first; empty if the threads have not begun to run
     * @param threads the threads
     */
    public record Group(
            RuntimeId runtime, ThreadState state, WalkOutcome outcome, List<Frame> stack, List<Member> threads) {
        public Group {
            stack = List.copyOf(stack);
            threads = List.copyOf(threads);
        }
    }

    /**
     * A thread of a group.
     *
     * @param name its name, often empty
     * @param id the runtime's thread id
     * @param lock the lock for which it waits; null if it waits for none
     */
    public record Member(String name, long id, @Nullable AwaitedLock lock) {}

    /** Returns the number of threads in all groups. */
    public int threads() {
        return groups.stream().mapToInt(group -> group.threads().size()).sum();
    }
}
