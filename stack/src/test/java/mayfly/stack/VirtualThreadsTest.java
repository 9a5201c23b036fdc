package mayfly.stack;

import static mayfly.stack.ScriptedRuntime.java;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.UnmountedThread;
import mayfly.runtime.thread.UnmountedThreads;
import mayfly.runtime.thread.UnmountedThreads.Copied;
import mayfly.runtime.thread.Unread;
import mayfly.stack.state.LockReport;
import mayfly.stack.state.ThreadState;
import mayfly.stack.state.VirtualThreadReport;
import org.junit.jupiter.api.Test;

/** Virtual threads in a dump, of a scripted runtime. */
class VirtualThreadsTest {
    private static final long MAIN = 0x2000;
    private static final Frame HIDDEN = new Frame.Managed(
            new RuntimeId(1),
            "java",
            Frame.Managed.COMPILED,
            "C2",
            "jdk.internal.vm.Continuation",
            "yield",
            "()V",
            0,
            7);
    private final ScriptedProcess process =
            new ScriptedProcess().root(MAIN, java("main")).javaThread(9, "worker", MAIN);

    private static UnmountedThread thread(String name, ManagedThreadState state, Frame... frames) {
        return new UnmountedThread(
                name, name.length(), state, List.of(frames), WalkOutcome.COMPLETE, UnmountedThread.Awaited.NONE);
    }

    private VirtualThreadReport dump(boolean hidden) throws Exception {
        ThreadDump dump = new ThreadDumper(process.walks())
                .dump(new ThreadDump.Options("", false, true, false, hidden, Optional.empty()), (done, total) -> {});
        assertThat(dump.together()).isTrue();
        assertThat(dump.threads()).extracting(DumpedThread::name).containsExactly("worker");
        VirtualThreadReport report = dump.virtual();
        assertThat(report).isNotNull();
        return report;
    }

    private void script(List<UnmountedThread> threads, Copied... outcomes) {
        process.runtime.unmounted = ScriptedUnmounted.of(threads, outcomes);
    }

    @Test
    void threadsWithEqualStacksAndStatesAreOneGroup() throws Exception {
        script(
                List.of(
                        thread("a", ManagedThreadState.PARKED, HIDDEN, java("take")),
                        thread("bb", ManagedThreadState.BLOCKED, java("take")),
                        thread("ccc", ManagedThreadState.PARKED, java("take")),
                        thread("", ManagedThreadState.PARKED, java("put"))),
                Copied.DONE);
        VirtualThreadReport report = dump(false);
        assertThat(report.groups())
                .extracting(
                        VirtualThreadReport.Group::state,
                        group -> group.threads().stream()
                                .map(VirtualThreadReport.Member::name)
                                .toList())
                .containsExactly(
                        tuple(ThreadState.PARKED, List.of("a", "ccc")),
                        tuple(ThreadState.BLOCKED, List.of("bb")),
                        tuple(ThreadState.PARKED, List.of("")));
        assertThat(report.threads()).isEqualTo(4);
        assertThat(report.mounted()).isEqualTo(3);
        assertThat(report.areAllRecorded()).isFalse();
        assertThat(report.unread()).isEqualTo(Map.of("its data is inconsistent", 2));
        assertThat(report.problems()).isEmpty();
    }

    @Test
    void hiddenFramesAreIncludedOnRequest() throws Exception {
        script(List.of(thread("a", ManagedThreadState.PARKED, HIDDEN, java("take"))), Copied.DONE);
        assertThat(dump(true).groups().getFirst().stack()).hasSize(2);
    }

    @Test
    void stopThatMeetsACollectionIsRepeated() throws Exception {
        script(List.of(thread("a", ManagedThreadState.PARKED)), Copied.MOVING, Copied.MOVING, Copied.DONE);
        assertThat(dump(false).threads()).isEqualTo(1);
        assertThat(process.calls).containsExactly("copyAll", "release", "copyAll", "release", "copyAll", "release");
    }

    @Test
    void collectionThatDoesNotEndIsReported() throws Exception {
        script(List.of(), Copied.MOVING);
        VirtualThreadReport report = dump(false);
        assertThat(report.problems()).isEqualTo(Map.of(new RuntimeId(1), "it moves while it is read"));
        assertThat(report.groups()).isEmpty();
        assertThat(process.calls).hasSizeGreaterThan(6);
    }

    @Test
    void listThatCannotBeReadIsReported() throws Exception {
        script(List.of(), Copied.UNREADABLE);
        assertThat(dump(false).problems()).isEqualTo(Map.of(new RuntimeId(1), "its memory cannot be read"));
    }

    /** Another stop of all threads would have the same result. */
    @Test
    void listThatIsNotDescribedIsReportedAfterOneStop() throws Exception {
        process.runtime.unmounted = UnmountedThreads.unreadable(Unread.NOT_DESCRIBED);
        assertThat(dump(false).problems()).isEqualTo(Map.of(new RuntimeId(1), Unread.NOT_DESCRIBED.label()));
        assertThat(process.calls).containsExactly("copyAll", "release");
    }

    @Test
    void runtimeWithoutVirtualThreadsHasNone() throws Exception {
        VirtualThreadReport report = dump(false);
        assertThat(report.groups()).isEmpty();
        assertThat(report.problems()).isEmpty();
    }

    private static UnmountedThread parked(String name, long object, LockOwner owner) {
        LockWait lock = new LockWait(LockWait.Kind.ACQUIRE, "Lock", object, 0, null);
        return new UnmountedThread(
                name,
                name.length(),
                ManagedThreadState.PARKED,
                List.of(java("take")),
                WalkOutcome.COMPLETE,
                new UnmountedThread.Awaited(lock, owner));
    }

    private LockReport locks() throws Exception {
        return new ThreadDumper(process.walks())
                .dump(new ThreadDump.Options("", false, true, false, false, Optional.empty()), (done, total) -> {})
                .locks();
    }

    @Test
    void lockOfAThreadIsThatOfTheMomentOfTheCopy() throws Exception {
        LockOwner worker = new LockOwner.OfThread(process.runtime.threads.getFirst());
        script(
                List.of(
                        parked("a", 16, worker),
                        parked("bb", 16, worker),
                        parked("ccc", 24, LockOwner.NONE),
                        thread("dddd", ManagedThreadState.PARKED, java("take"))),
                Copied.DONE);
        assertThat(dump(false).groups().getFirst().threads())
                .extracting(member -> member.lock() == null ? 0 : member.lock().object())
                .containsExactly(16L, 16L, 24L, 0L);
        LockReport.Contended contended = locks().contended().getFirst();
        assertThat(contended.waiting()).isEqualTo(2);
        assertThat(contended.lock().owner()).isEqualTo(new LockReport.AwaitedLock.Owner(9, "worker", 9));
        assertThat(locks().deadlocks()).isEmpty();
    }

    @Test
    void deadlockOfUnmountedAndOtherThreadsIsFoundWithItsThreadsInOrder() throws Exception {
        process.runtime.waits.put(9L, List.of(ScriptedRuntime.enter(5)));
        process.runtime.owners.put(5L, new LockOwner.OfUnmounted(1));
        LockOwner worker = new LockOwner.OfThread(process.runtime.threads.getFirst());
        script(
                List.of(
                        parked("a", 16, new LockOwner.OfUnmounted(2)),
                        parked("bb", 24, worker),
                        parked("ccc", 24, worker)),
                Copied.DONE);
        List<LockReport.Deadlock> deadlocks = locks().deadlocks();
        assertThat(deadlocks).hasSize(1);
        List<LockReport.Member> members = deadlocks.getFirst().members();
        assertThat(members)
                .extracting(LockReport.Member::tid, LockReport.Member::name, LockReport.Member::id)
                .containsExactlyInAnyOrder(tuple(9, "worker", 9L), tuple(0, "a", 1L), tuple(0, "bb", 2L));
        for (int i = 0; i < members.size(); i++) {
            assertThat(members.get(i).lock().owner())
                    .extracting(LockReport.AwaitedLock.Owner::id)
                    .isEqualTo(members.get((i + 1) % members.size()).id());
        }
    }

    @Test
    void monitorThatAnUnmountedThreadHasEnteredHasItAsItsOwner() throws Exception {
        process.runtime.waits.put(9L, List.of(ScriptedRuntime.enter(5)));
        LockOwner worker = new LockOwner.OfThread(process.runtime.threads.getFirst());
        script(List.of(parked("a", 24, worker)), Copied.DONE);
        LockReport locks = locks();
        assertThat(locks.awaited().get(9).owner()).isEqualTo(new LockReport.AwaitedLock.Owner(0, "a", 1));
        assertThat(locks.deadlocks()).hasSize(1);
    }

    @Test
    void deadlockIsSearchedAgainIfALockCouldNotBeReadInTheStop() throws Exception {
        process.javaThread(7, "first", MAIN).javaThread(8, "second", MAIN);
        process.runtime.blocks(7, 8);
        process.runtime.blocks(8, 7);
        LockWait moving = LockWait.unread(Unread.MOVING);
        // Not read before the stop, which is for nothing, and not in the stop.
        process.runtime.waits.put(7L, new ArrayList<>(List.of(moving, moving, ScriptedRuntime.enter(8))));
        script(List.of(), Copied.DONE);
        assertThat(locks().deadlocks()).hasSize(1);
    }
}
