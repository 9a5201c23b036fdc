package mayfly.stack;

import static mayfly.stack.ScriptedRuntime.java;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.UnmountedThread;
import mayfly.runtime.thread.UnmountedThreads;
import mayfly.runtime.thread.UnmountedThreads.Copied;
import mayfly.runtime.thread.Unread;
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
        return new UnmountedThread(name, name.length(), state, List.of(frames), WalkOutcome.COMPLETE);
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
}
