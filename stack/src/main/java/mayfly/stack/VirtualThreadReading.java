package mayfly.stack;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.UnmountedThread;
import mayfly.runtime.thread.UnmountedThread.Awaited;
import mayfly.runtime.thread.UnmountedThreads;
import mayfly.runtime.thread.UnmountedThreads.Copied;
import mayfly.runtime.thread.Unread;
import mayfly.stack.lock.LockReading;
import mayfly.stack.state.ThreadState;
import mayfly.stack.state.VirtualThreadReport;
import mayfly.stack.state.VirtualThreadReport.Group;
import mayfly.stack.state.VirtualThreadReport.Member;
import org.jspecify.annotations.Nullable;

/**
 * Reads the virtual threads that are not mounted. They are copied while all threads of the process are stopped, and
 * decoded afterwards.
 */
final class VirtualThreadReading {
    /** Upper bound on the attempts to prepare a reading, and on the copies that find an unreadable list. */
    private static final int ATTEMPTS = 3;

    private final WalkedProcess target;
    private final Map<ManagedRuntime, UnmountedThreads> readings = new LinkedHashMap<>();
    private final Map<ManagedRuntime, Copied> copied = new HashMap<>();
    private int copies;

    /** The data of a thread for its group. Its lock is converted when the names of all owners are known. */
    private record Read(ManagedRuntime runtime, String name, long id, Awaited awaited) {}

    private record Stack(RuntimeId runtime, ThreadState state, WalkOutcome outcome, List<Frame> frames) {}

    /**
     * Prepares a reading, before any thread is stopped.
     *
     * @param runtimes the runtimes whose threads are dumped
     */
    VirtualThreadReading(WalkedProcess target, List<ManagedRuntime> runtimes) {
        this.target = target;
        long share = Runtime.getRuntime().maxMemory() / 2 / Math.max(1, runtimes.size());
        for (ManagedRuntime runtime : runtimes) {
            prepared(runtime, share).ifPresent(reading -> readings.put(runtime, reading));
        }
        readings.values().forEach(UnmountedThreads::warmUp);
    }

    /** Prepares a reading of one runtime, again if the runtime changed its data meanwhile. */
    private Optional<UnmountedThreads> prepared(ManagedRuntime runtime, long maxBytes) {
        Optional<UnmountedThreads> reading = Optional.empty();
        for (int i = 0; i < ATTEMPTS; i++) {
            target.forgetMemory();
            reading = runtime.unmountedThreads(maxBytes);
            if (reading.isEmpty() || reading.get().problem() == null) {
                break;
            }
        }
        return reading;
    }

    /**
     * Copies the threads. All threads of the process must be stopped.
     *
     * @param deadlineNanos the {@link System#nanoTime()} by which it must return
     */
    void copy(long deadlineNanos) {
        target.forgetMemory();
        readings.forEach((runtime, reading) -> copied.put(runtime, reading.copy(deadlineNanos)));
        copies++;
    }

    /**
     * Returns true if the threads must run for a moment and be stopped again: a collection was moving objects, or a
     * thread that cannot be stopped was changing the list.
     */
    boolean mustBeRepeated() {
        return copied.containsValue(Copied.MOVING) || mayBecomeReadable() && copies < ATTEMPTS;
    }

    /** Returns true if a list was inconsistent. Another reason, such as too little memory, would be the same again. */
    private boolean mayBecomeReadable() {
        return copied.entrySet().stream()
                .filter(each -> each.getValue() == Copied.UNREADABLE)
                .map(each -> problem(each.getKey(), Objects.requireNonNull(readings.get(each.getKey()))))
                .anyMatch(reason -> reason == Unread.IMPLAUSIBLE || reason == Unread.NOT_READABLE);
    }

    /**
     * Decodes the copied threads.
     *
     * @param hidden true to include frames that the JVM hides from a Throwable's stack trace
     * @param locks receives the locks for which they wait
     */
    VirtualThreadReport report(boolean hidden, LockReading locks) {
        Map<Stack, List<Read>> groups = new LinkedHashMap<>();
        Map<String, Integer> unread = new HashMap<>();
        Map<RuntimeId, String> problems = new LinkedHashMap<>();
        int mounted = 0;
        boolean areAllRecorded = true;
        target.newEpoch(System.nanoTime());
        for (Map.Entry<ManagedRuntime, UnmountedThreads> each : readings.entrySet()) {
            RuntimeId runtime = each.getKey().id();
            UnmountedThreads reading = each.getValue();
            Unread problem = problem(each.getKey(), reading);
            if (problem != null) {
                problems.put(runtime, problem.label());
                continue;
            }
            reading.forEach(thread -> {
                locks.add(each.getKey(), thread);
                groups.computeIfAbsent(stack(runtime, thread, hidden), _ -> new ArrayList<>())
                        .add(new Read(each.getKey(), thread.name(), thread.managedId(), thread.awaited()));
            });
            locks.complete(each.getKey(), reading::ownerOf);
            reading.unread().forEach((reason, count) -> unread.merge(reason.label(), count, Integer::sum));
            mounted += reading.mounted();
            areAllRecorded &= reading.areAllRecorded();
        }
        List<Group> sorted = new ArrayList<>();
        groups.forEach((stack, threads) -> {
            List<Member> members = threads.stream()
                    .map(each -> new Member(each.name, each.id, locks.awaited(each.runtime, each.awaited)))
                    .toList();
            sorted.add(new Group(stack.runtime, stack.state, stack.outcome, stack.frames, members));
        });
        sorted.sort(
                Comparator.comparingInt((Group group) -> group.threads().size()).reversed());
        return new VirtualThreadReport(sorted, mounted, unread, problems, areAllRecorded);
    }

    private @Nullable Unread problem(ManagedRuntime runtime, UnmountedThreads reading) {
        return switch (copied.getOrDefault(runtime, Copied.UNREADABLE)) {
            case DONE -> null;
            case MOVING -> Unread.MOVING;
            case UNREADABLE -> Objects.requireNonNullElse(reading.problem(), Unread.NOT_READABLE);
        };
    }

    private static Stack stack(RuntimeId runtime, UnmountedThread thread, boolean hidden) {
        List<Frame> frames = thread.frames().stream()
                .filter(frame ->
                        hidden || !(frame instanceof Frame.Managed managed) || !HiddenMethods.isHidden(managed))
                .toList();
        return new Stack(runtime, ThreadState.of(thread.state()), thread.outcome(), frames);
    }
}
