package mayfly.linux.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import mayfly.arch.x86.X86_64;
import mayfly.linux.CProgram;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessImage;
import mayfly.linux.perf.Probe;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("privileged")
class AllThreadsSnapshotTest {
    private static final int STACK = 1 << 16;

    private static void await(LiveProcess p, int tid, char state) throws IOException {
        for (int i = 0; i < 10_000; i++) {
            if (p.thread(tid).state() == state) {
                return;
            }
            LockSupport.parkNanos(1_000_000);
        }
        throw new AssertionError("never in state " + state);
    }

    private static List<Integer> others(LiveProcess p) throws IOException {
        List<Integer> others = new ArrayList<>();
        for (int tid : p.tids()) {
            if (tid != p.pid()) {
                others.add(tid);
            }
        }
        return others;
    }

    @Test
    void stackOfABusyThreadIsCopiedAndTheThreadReleased() throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p)) {
            long burn = Long.parseUnsignedLong(program.line().split(" ")[1].substring(2), 16);
            List<Integer> tids = others(p);
            assumeTrue(Probe.trace(tids.getFirst()).works(), "ptrace is not permitted");
            for (int tid : tids) {
                while (p.thread(tid).userNanos() == 0) {
                    Thread.onSpinWait(); // the thread has not reached its loop yet
                }
            }
            ThreadSnapshot snapshot = new ThreadSnapshot(STACK);
            int late = 0;
            for (int i = 0; i < 50; i++) {
                try (AllThreadsSnapshot all = AllThreadsSnapshot.copyAll(p, stopper, Map.of(), _ -> {})) {
                    assertThat(all.refusedTid()).isZero();
                    assertThat(all.stopNanos()).isPositive();
                    for (int tid : tids) {
                        ThreadStopper.Outcome outcome = all.copy(tid, snapshot);
                        if (outcome == ThreadStopper.Outcome.TIMED_OUT) {
                            late++; // on a busy machine, a thread may wait this long for a CPU to stop on
                            continue;
                        }
                        assertThat(outcome).isEqualTo(ThreadStopper.Outcome.COPIED);
                        assertThat(snapshot.registers().pc()).isBetween(burn, burn + 64);
                        assertThat(snapshot.stack()[0]).isBetween(burn, burn + 256);
                    }
                }
                for (int tid : tids) {
                    assertThat(p.thread(tid).state()).isNotIn('t', 'T');
                }
            }
            assertThat(late).as("threads that did not stop in time").isLessThan(10);
            assertThat(program.ask()).isEqualTo("0 0");
        }
    }

    @Test
    void threadInEpollWaitSeesNoEintrAndActionRunsPerCopy() throws Exception {
        try (CProgram program = CProgram.start("target", "e");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p)) {
            program.line();
            int tid = others(p).getFirst();
            await(p, tid, 'S');
            assumeTrue(Probe.trace(tid).works(), "ptrace is not permitted");
            ThreadSnapshot snapshot = new ThreadSnapshot(STACK);
            int[] done = new int[1];
            for (int i = 0; i < 50; i++) {
                try (AllThreadsSnapshot all =
                        AllThreadsSnapshot.copyAll(p, stopper, Map.of(tid, () -> done[0]++), _ -> {})) {
                    assertThat(all.copy(tid, snapshot)).isEqualTo(ThreadStopper.Outcome.COPIED_UNSTOPPED);
                    assertThat(snapshot.registers().knows(X86_64.RBP)).isFalse();
                    assertThat(snapshot.stackWords()).isPositive();
                }
            }
            assertThat(done[0]).isEqualTo(50);
            assertThat(program.ask()).isEqualTo("0 0");
        }
    }

    @Test
    void stackBelowAGuardPageInTheSameMappingIsCopiedUpToItsEnd() throws Exception {
        try (CProgram program = CProgram.start("target", "g");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p)) {
            long end = Long.parseUnsignedLong(program.line().split(" ")[2].substring(2), 16);
            int tid = others(p).getFirst();
            assumeTrue(Probe.trace(tid).works(), "ptrace is not permitted");
            while (p.thread(tid).userNanos() == 0) {
                Thread.onSpinWait(); // the thread has not reached its loop yet
            }
            ThreadSnapshot snapshot = new ThreadSnapshot(1 << 20);
            ThreadStopper.Outcome outcome;
            do {
                try (AllThreadsSnapshot all = AllThreadsSnapshot.copyAll(p, stopper, Map.of(), _ -> {})) {
                    outcome = all.copy(tid, snapshot);
                }
            } while (outcome == ThreadStopper.Outcome.TIMED_OUT);
            assertThat(outcome).isEqualTo(ThreadStopper.Outcome.COPIED);
            assertThat(snapshot.stackBase() + 8L * snapshot.stackWords()).isEqualTo(end);
            assertThat(snapshot.stackWords()).isGreaterThan(3 * 4096 / 8);
            assertThat(snapshot.stackFull()).isFalse();
        }
    }

    @Test
    void unknownThreadIsGone() throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p)) {
            program.line();
            assumeTrue(Probe.trace(others(p).getFirst()).works(), "ptrace is not permitted");
            try (AllThreadsSnapshot all = AllThreadsSnapshot.copyAll(p, stopper, Map.of(), _ -> {})) {
                assertThat(all.tids()).contains(p.pid());
                assertThat(all.copy(Integer.MAX_VALUE, new ThreadSnapshot(STACK)))
                        .isEqualTo(ThreadStopper.Outcome.GONE);
            }
        }
    }

    /** One signal is always pending for a thread, and the next is sent only when it has been delivered. */
    @Test
    void signalThatArrivesInsteadOfTheStopIsDelivered() throws Exception {
        try (CProgram program = CProgram.start("target", "bk");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p)) {
            program.line();
            assumeTrue(Probe.trace(others(p).getFirst()).works(), "ptrace is not permitted");
            for (int i = 0; i < 300; i++) {
                AllThreadsSnapshot.copyAll(p, stopper, Map.of(), _ -> {}).close();
            }
            program.awaitSignal();
        }
    }

    /** A thread that does not stop in time must not keep the others from being copied. */
    @Test
    void threadStillStoppedByTheStopperIsSkipped() throws Exception {
        try (CProgram program = CProgram.startFromShell("target", "b");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p)) {
            program.line();
            int tid = others(p).getFirst();
            assumeTrue(Probe.trace(tid).works(), "ptrace is not permitted");
            assertThat(new Ptrace().seize(tid)).isZero();
            stopper.unreleased.add(tid);
            try (AllThreadsSnapshot all = AllThreadsSnapshot.copyAll(p, stopper, Map.of(), _ -> {})) {
                ThreadSnapshot snapshot = new ThreadSnapshot(STACK);
                assertThat(all.refusedTid()).isZero();
                assertThat(all.copy(tid, snapshot)).isEqualTo(ThreadStopper.Outcome.TIMED_OUT);
                assertThat(all.copy(p.pid(), snapshot)).isEqualTo(ThreadStopper.Outcome.COPIED);
            }
            new Ptrace().interrupt(tid);
            for (int i = 0; i < 10_000 && !stopper.releaseLate(); i++) {
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(stopper.isTraced(tid)).isFalse();
        }
    }

    @Test
    void processThatExecsRepeatedlyIsNeverLeftStopped() throws Exception {
        try (CProgram program = CProgram.startFromShell("target", "bX");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            assumeTrue(Probe.trace(p.pid()).works(), "ptrace is not permitted");
            program.send();
            try (ThreadStopper stopper = new ThreadStopper(p)) {
                for (int i = 0; i < 300; i++) {
                    AllThreadsSnapshot.copyAll(p, stopper, Map.of(), _ -> {}).close();
                }
            }
            assertThat(p.facts().isTraced()).isFalse();
            try (ProcessImage image = p.image()) {
                for (int i = 0; i < 10_000 && !image.isReplaced(); i++) {
                    LockSupport.parkNanos(1_000_000);
                }
                assertThat(image.isReplaced())
                        .as("it continues to execute itself")
                        .isTrue();
            }
        }
    }
}
