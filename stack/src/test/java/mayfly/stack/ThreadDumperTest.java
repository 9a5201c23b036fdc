package mayfly.stack;

import static mayfly.stack.ScriptedProcess.SP;
import static mayfly.stack.ScriptedRuntime.inLibrary;
import static mayfly.stack.ScriptedRuntime.java;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import mayfly.discovery.Refused;
import mayfly.linux.trace.ThreadStopper.Outcome;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.Step;
import mayfly.runtime.thread.FrameMonitor;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.MonitorState;
import mayfly.runtime.thread.Unread;
import mayfly.stack.ThreadDump.Options;
import mayfly.stack.state.EnteredMonitor;
import mayfly.stack.state.LockReport;
import mayfly.stack.state.LockReport.AwaitedLock;
import mayfly.stack.state.LockReport.AwaitedLock.Kind;
import mayfly.stack.state.LockReport.AwaitedLock.Ownership;
import mayfly.stack.state.ThreadState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThreadDumperTest {
    private static final long MAIN = 0x2000;
    private static final Options TOGETHER = new Options("", true, false, true);
    private final ScriptedProcess process = new ScriptedProcess().root(MAIN, java("main"));

    private ThreadDump dump(Options options) throws Refused {
        return new ThreadDumper(process.walks()).dump(options, (done, total) -> {});
    }

    private static Options only(String thread) {
        return new Options(thread, false, false, true);
    }

    private static List<String> labels(DumpedThread thread) {
        return thread.stack().stream()
                .map(entry -> entry.frame() == null
                        ? "hole " + entry.nativeFrames()
                        : entry.frame().label())
                .toList();
    }

    @Test
    void javaThreadsComeFirstInTheOrderOfTheRuntimeAndMainBeforeThem() throws Exception {
        process.thread(3, "VM Periodic Tas", MAIN)
                .javaThread(9, "worker", MAIN)
                .thread(2, "GC Thread#0", MAIN)
                .javaThread(8, "main", MAIN)
                .javaThread(4, "late", MAIN);
        ThreadDump dump = dump(Options.ALL);
        assertThat(dump.threads())
                .extracting(DumpedThread::name)
                .containsExactly("main", "worker", "late", "GC Thread#0", "VM Periodic Task Thread");
        assertThat(dump.threads()).extracting(DumpedThread::tid).containsExactly(8, 9, 4, 2, 3);
    }

    @Test
    void dumpHasTheFactsOfTheProcessAndItsThreads() throws Exception {
        process.javaThread(9, "worker", MAIN);
        ThreadDump dump = dump(Options.ALL);
        assertThat(dump.pid()).isEqualTo(ScriptedProcess.PID);
        assertThat(dump.mainClass()).isEqualTo("Orders");
        assertThat(dump.runtimes()).containsExactly("r1 Scripted 1.0 at 0x10000");
        assertThat(dump.stops())
                .isEqualTo(new ThreadDump.Stops(1, 20, 20, 0, dump.stops().limitNanos(), 0));
        DumpedThread thread = dump.threads().getFirst();
        assertThat(thread.cpuNanos()).isEqualTo(9000);
        assertThat(thread.kernelState()).isEqualTo('S');
        assertThat(thread.java())
                .isEqualTo(new DumpedThread.JavaThread(
                        process.runtime.id(), "worker", 9, false, ThreadState.PARKED, null, ""));
        assertThat(labels(thread)).containsExactly("Orders.main");
    }

    @Test
    void locksAreInTheDumpWithTheirOwners() throws Exception {
        process.javaThread(9, "owner", MAIN).javaThread(8, "waits", MAIN).javaThread(7, "unread", MAIN);
        process.runtime.blocks(8, 9);
        process.runtime.waits.put(7L, List.of(LockWait.unread(Unread.MOVING)));
        process.runtime.waits.put(9L, List.of(ScriptedRuntime.enter(33)));
        process.runtime.owners.put(33L, new LockOwner.OfUnmounted(44));
        assertThat(dump(Options.ALL).locks())
                .isEqualTo(new LockReport(
                        Map.of(
                                8,
                                enter(9, new AwaitedLock.Owner(9, "owner", 9)),
                                7,
                                new AwaitedLock(Kind.UNKNOWN, "", 0, Ownership.UNKNOWN, null, Unread.MOVING.label()),
                                9,
                                enter(33, new AwaitedLock.Owner(0, "", 44))),
                        List.of(),
                        List.of()));
    }

    private static AwaitedLock enter(long monitor, AwaitedLock.Owner owner) {
        return new AwaitedLock(Kind.ENTER, "Lock" + monitor, 16 * monitor, Ownership.KNOWN, owner, "");
    }

    /** Adds a thread with three frames, of which the first two are of inlined methods, and three monitors. */
    private void threadWithMonitors(MonitorState... states) {
        process.javaThread(7, "owner", 0x1000);
        process.runtime
                .call(0x1000, 0x2000, inLibrary("wait"))
                .call(0x2000, 0x3000, java("inlined"), java("leaf"))
                .end(0x3000, Step.ROOT, java("main"));
        process.runtime.monitorStates.put(7L, new ArrayList<>(List.of(states)));
        process.runtime.monitors.put(
                0x2000L,
                List.of(
                        new FrameMonitor(0, FrameMonitor.State.LEFT, "Inner", 16, null),
                        new FrameMonitor(0, FrameMonitor.State.ENTERED, "Inner", 24, null),
                        new FrameMonitor(1, FrameMonitor.State.ELIMINATED, "Leaf", 0, null)));
    }

    private static List<List<EnteredMonitor>> monitors(ThreadDump dump) {
        return dump.threads().getFirst().stack().stream()
                .map(DumpedThread.Entry::monitors)
                .toList();
    }

    @Test
    void monitorsAreAtTheMethodsThatHaveEnteredThem() throws Exception {
        threadWithMonitors(new MonitorState(0, 0, 1, null));
        List<List<EnteredMonitor>> expected = List.of(
                List.of(),
                List.of(
                        new EnteredMonitor(EnteredMonitor.State.LEFT, "Inner", 16, ""),
                        new EnteredMonitor(EnteredMonitor.State.ENTERED, "Inner", 24, "")),
                List.of(new EnteredMonitor(EnteredMonitor.State.ELIMINATED, "Leaf", 0, "")),
                List.of());
        assertThat(monitors(dump(Options.ALL))).isEqualTo(expected);
        assertThat(monitors(dump(TOGETHER))).isEqualTo(expected);
    }

    @Test
    void monitorsAreUnreadIfTheStateAtTheCopyIsNotKnown() throws Exception {
        threadWithMonitors(MonitorState.unread(Unread.MOVING));
        assertThat(monitors(dump(Options.ALL)).get(2))
                .containsExactly(new EnteredMonitor(EnteredMonitor.State.ENTERED, "", 0, Unread.MOVING.label()));
    }

    @Test
    void synchronizersForWhichThreadsWaitBelongToTheirOwner() {
        var owner = new AwaitedLock.Owner(9, "owner", 9);
        AwaitedLock parked = new AwaitedLock(Kind.PARK, "Sync", 16, Ownership.KNOWN, owner, "");
        AwaitedLock free = new AwaitedLock(Kind.PARK, "Semaphore", 24, Ownership.NONE, null, "");
        AwaitedLock ofUnmounted =
                new AwaitedLock(Kind.PARK, "Sync", 32, Ownership.KNOWN, new AwaitedLock.Owner(0, "", 44), "");
        LockReport locks = new LockReport(
                Map.of(1, parked, 2, parked, 3, free, 4, ofUnmounted, 5, enter(6, owner)), List.of(), List.of());
        assertThat(locks.synchronizers()).isEqualTo(Map.of(9, List.of(parked)));
    }

    @Test
    void deadlockIsFoundAlsoIfItsThreadsAreNotInTheDump() throws Exception {
        process.javaThread(9, "a", MAIN).javaThread(8, "b", MAIN).javaThread(7, "shown", MAIN);
        process.runtime.blocks(8, 9);
        process.runtime.blocks(9, 8);
        LockReport locks = dump(only("shown")).locks();
        assertThat(locks.awaited()).isEmpty();
        assertThat(locks.deadlocks()).hasSize(1);
        assertThat(locks.deadlocks().getFirst().members())
                .extracting(LockReport.Member::name)
                .containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void lockForWhichMostThreadsWaitIsTheFirstOfTheContendedOnes() throws Exception {
        for (int tid = 1; tid <= 6; tid++) {
            process.javaThread(tid, "t" + tid, MAIN);
        }
        process.runtime.blocks(2, 1);
        process.runtime.blocks(3, 6);
        process.runtime.blocks(4, 6);
        process.runtime.waits.put(5L, List.of(ScriptedRuntime.enter(55)));
        assertThat(dump(Options.ALL).locks().contended())
                .extracting(LockReport.Contended::waiting)
                .containsExactly(2, 1);
    }

    @Test
    void holesAreInTheDumpOnRequest() throws Exception {
        process.javaThread(9, "worker", 0x1000);
        process.runtime.call(0x1000, MAIN, inLibrary("read"), inLibrary("io"));
        assertThat(labels(dump(new Options("", false, true, true)).threads().getFirst()))
                .containsExactly("hole 2", "Orders.main");
    }

    @Test
    void middleOfADeepStackIsLeftOut() throws Exception {
        process.javaThread(9, "worker", 0x1000);
        for (int i = 0; i < 10_000; i++) {
            process.runtime.call(0x1_0000 + i, i == 9_999 ? MAIN : 0x1_0001 + i, java("recursive" + i));
        }
        process.runtime.call(0x1000, 0x1_0000, java("leaf"));
        DumpedThread thread = dump(Options.ALL).threads().getFirst();
        assertThat(thread.result().outcome()).isEqualTo(WalkOutcome.SHORTENED);
        assertThat(labels(thread))
                .hasSizeLessThan(9_000)
                .startsWith("Orders.leaf")
                .endsWith("Orders.main");
    }

    @Test
    void threadIsChosenByItsKernelId() throws Exception {
        process.javaThread(9, "8", MAIN).javaThread(8, "other", MAIN);
        assertThat(dump(only("8")).threads()).extracting(DumpedThread::name).containsExactly("other");
        assertThat(process.calls).containsExactly("copy 8");
    }

    @Test
    void threadIsChosenByItsNameBeforeAPartOfIt() throws Exception {
        process.javaThread(9, "pool-1", MAIN).javaThread(8, "pool", MAIN);
        assertThat(dump(only("pool")).threads()).extracting(DumpedThread::tid).containsExactly(8);
        assertThat(dump(only("poo")).threads()).extracting(DumpedThread::tid).containsExactly(9, 8);
    }

    @Test
    void unknownThreadIsRefusedWithTheNamesOfTheOthers() {
        process.javaThread(9, "worker", MAIN).thread(3, "VM Periodic Tas", MAIN);
        assertThatThrownBy(() -> dump(only("none"))).isInstanceOfSatisfying(Refused.class, refused -> {
            assertThat(refused.reason()).isEqualTo(Refused.Reason.NO_SUCH_THREAD);
            assertThat(refused.advice()).isEqualTo("9  worker\n3  VM Periodic Task Thread");
        });
        assertThat(process.calls).as("no thread was stopped").isEmpty();
    }

    private static Options only(RuntimeId.Choice runtime) {
        return new Options("", false, false, false, true, Optional.of(runtime));
    }

    @ParameterizedTest
    @ValueSource(strings = {"r1", "1", "1.0"})
    void threadsOfARuntimeAreChosenByItsIdOrItsVersion(String choice) throws Exception {
        process.javaThread(9, "worker", MAIN).thread(3, "VM Periodic Tas", MAIN);
        assertThat(dump(only(new RuntimeId.Choice(choice))).threads())
                .extracting(DumpedThread::tid)
                .containsExactly(9);
        assertThat(process.calls).containsExactly("copy 9");
    }

    @Test
    void threadThatRunsMethodsOfTwoRuntimesHasTheNameInTheChosenOne() throws Exception {
        process.javaThread(9, "worker", MAIN).javaThread(8, "crossing", MAIN);
        process.second = new ScriptedRuntime(2);
        process.second.threads.add(new ManagedThread(8, 8));
        process.second.infos.put(
                8L, new ArrayList<>(List.of(new ManagedThreadInfo("attached", ManagedThreadState.PARKED, false, 8))));
        assertThat(dump(only(new RuntimeId.Choice("r1"))).threads())
                .extracting(DumpedThread::name)
                .containsExactly("worker", "crossing");
        assertThat(dump(only(new RuntimeId.Choice("r2"))).threads())
                .extracting(DumpedThread::name)
                .containsExactly("attached");
    }

    @Test
    void runtimeWithoutThreadsIsRefused() {
        process.javaThread(9, "worker", MAIN);
        process.second = new ScriptedRuntime(2);
        assertThatThrownBy(() -> dump(only(new RuntimeId.Choice("r2"))))
                .isInstanceOf(Refused.class)
                .hasMessage("r2 (1.0) of process 4711 has no thread");
    }

    @Test
    void refusalOfAnUnknownOrAmbiguousRuntimeNamesTheRuntimes() {
        process.javaThread(9, "worker", MAIN);
        process.second = new ScriptedRuntime(2);
        for (var refusal : Map.of("r3", Refused.Reason.NO_SUCH_RUNTIME, "1.0", Refused.Reason.AMBIGUOUS)
                .entrySet()) {
            for (boolean together : new boolean[] {false, true}) {
                Options options = new Options(
                        "", together, false, false, true, Optional.of(new RuntimeId.Choice(refusal.getKey())));
                assertThatThrownBy(() -> dump(options)).isInstanceOfSatisfying(Refused.class, refused -> {
                    assertThat(refused.reason()).isEqualTo(refusal.getValue());
                    assertThat(refused).hasMessageContaining("has r1 (1.0), r2 (1.0)");
                });
            }
        }
        assertThat(process.calls).as("no thread was stopped").isEmpty();
    }

    @Test
    void threadThatEndedIsNotInTheDump() throws Exception {
        process.javaThread(9, "worker", MAIN).javaThread(8, "main", MAIN);
        process.outcomes.put(9, List.of(Outcome.GONE));
        assertThat(dump(Options.ALL).threads()).extracting(DumpedThread::tid).containsExactly(8);
    }

    @Test
    void dumpOfAProcessThatEndsMeanwhileIsRefused() {
        process.javaThread(9, "worker", MAIN).javaThread(8, "main", MAIN);
        process.outcomes.put(8, List.of(Outcome.GONE));
        process.isEnding = true;
        assertThatThrownBy(() -> dump(Options.ALL))
                .isInstanceOf(Refused.class)
                .hasMessage("process 4711 ended while it was inspected");
    }

    /** The old address space still exists, so the process does not count as replaced. */
    @Test
    void dumpOfAProcessWhoseRuntimeIsUnmappedMeanwhileIsRefused() throws Exception {
        process.javaThread(9, MAIN, ManagedThreadInfo.unread(ManagedThreadState.UNKNOWN, Unread.NOT_READABLE));
        assertThat(dump(Options.ALL).threads()).hasSize(1);
        process.isLibraryGone = true;
        assertThatThrownBy(() -> dump(Options.ALL))
                .isInstanceOf(Refused.class)
                .hasMessage("process 4711 became another program while it was inspected");
    }

    @Test
    void mappingsAreNotReadAfterADumpThatIsWhole() throws Exception {
        process.javaThread(9, "worker", MAIN);
        dump(Options.ALL);
        assertThat(process.calls).containsExactly("copy 9");
    }

    @Test
    void dumpWithAThreadThatMayNotBeStoppedIsRefused() {
        process.javaThread(9, "worker", MAIN);
        process.outcomes.put(9, List.of(Outcome.NOT_PERMITTED));
        process.isTracedByAnother = true;
        assertThatThrownBy(() -> dump(Options.ALL))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.reason()).isEqualTo(Refused.Reason.TRACED));
    }

    @Test
    void nameThatACollectionMovedIsReadAgainAfterTheWalks() throws Exception {
        process.javaThread(
                9,
                MAIN,
                ManagedThreadInfo.unread(ManagedThreadState.IN_NATIVE, Unread.MOVING),
                new ManagedThreadInfo("worker", ManagedThreadState.PARKED, false, 21));
        assertThat(dump(Options.ALL).threads()).extracting(DumpedThread::name).containsExactly("worker");
    }

    @Test
    void nameThatCannotBeReadForAnotherReasonIsNotReadAgain() throws Exception {
        process.javaThread(
                9,
                MAIN,
                ManagedThreadInfo.unread(ManagedThreadState.IN_NATIVE, Unread.NOT_DESCRIBED),
                new ManagedThreadInfo("worker", ManagedThreadState.PARKED, false, 21));
        assertThat(dump(Options.ALL).threads()).extracting(DumpedThread::name).containsExactly("java");
    }

    @Test
    void dumpSaysThatUnmountedThreadsMayExistIfTheRuntimeSaysSo() throws Exception {
        process.javaThread(9, "worker", MAIN);
        assertThat(dump(Options.ALL).unmounted()).isFalse();
        process.javaThread(8, "carrier", MAIN);
        assertThat(dump(Options.ALL).unmounted()).isTrue();
        assertThat(dump(only("9")).unmounted())
                .as("asked of threads that are not in the dump, too")
                .isTrue();
    }

    @Test
    void eachThreadIsReadOnceForADump() throws Exception {
        process.javaThread(9, "worker", MAIN).javaThread(8, "main", MAIN);
        ThreadDumper dumper = new ThreadDumper(process.walks());
        dumper.dump(TOGETHER, (done, total) -> {});
        assertThat(process.runtime.queries).isEqualTo(2);
        dumper.dump(TOGETHER, (done, total) -> {});
        assertThat(process.runtime.queries)
                .as("the second dump reads the threads again")
                .isEqualTo(4);
    }

    @Test
    void allThreadsAreCopiedAtOneMomentAndReleasedAfterTheWalks() throws Exception {
        process.javaThread(9, "worker", MAIN).thread(3, "GC Thread#0", MAIN);
        ThreadDump dump = dump(TOGETHER);
        assertThat(process.calls).containsExactly("copyAll", "release");
        assertThat(dump.together()).isTrue();
        assertThat(dump.threads()).extracting(DumpedThread::name).containsExactly("worker", "GC Thread#0");
    }

    @Test
    void togetherUsesTheRecordOfTheRuntimeFromTheMomentOfTheCopy() throws Exception {
        process.javaThread(9, "worker", 0x1000);
        process.runtime.end(0x1000, Step.NO_CFI, inLibrary("read"));
        process.runtime.lastManagedFrames.put(9L, ScriptedProcess.at(MAIN, SP));
        DumpedThread thread = dump(TOGETHER).threads().getFirst();
        assertThat(thread.result().start()).isEqualTo(ThreadWalk.Start.LAST_MANAGED_FRAME);
        assertThat(labels(thread)).containsExactly("read", "hole " + FrameReport.UNKNOWN, "Orders.main");
    }

    @Test
    void togetherIsRefusedIfOneThreadMayNotBeStopped() {
        process.javaThread(9, "worker", MAIN);
        process.refusedTid = 9;
        process.isTracedByAnother = true;
        assertThatThrownBy(() -> dump(TOGETHER)).isInstanceOf(Refused.class).hasMessageContaining("thread 9");
        assertThat(process.calls).containsExactly("copyAll", "release");
    }

    @Test
    void equalFramesOfAllStacksAreOneObject() throws Exception {
        process.javaThread(9, "worker", MAIN).javaThread(8, "main", MAIN);
        List<DumpedThread> threads = new ArrayList<>(dump(Options.ALL).threads());
        assertThat(threads.get(0).stack().getFirst())
                .isSameAs(threads.get(1).stack().getFirst());
    }
}
