package mayfly.linux.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.linux.CProgram;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessImage;
import mayfly.linux.perf.Probe;
import mayfly.linux.sys.Errno;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("privileged")
class ThreadStopperTest {
    private static final int STACK = 1 << 16;

    private static int other(LiveProcess p) throws IOException {
        for (int tid : p.tids()) {
            if (tid != p.pid()) {
                return tid;
            }
        }
        throw new AssertionError("one thread only");
    }

    private static void await(LiveProcess p, int tid, char state) throws IOException {
        for (int i = 0; i < 10_000; i++) {
            if (p.thread(tid).state() == state) {
                return;
            }
            LockSupport.parkNanos(1_000_000);
        }
        throw new AssertionError("never in state " + state);
    }

    @Test
    void stackOfABusyThreadIsCopied() throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p)) {
            long burn = Long.parseUnsignedLong(program.line().split(" ")[1].substring(2), 16);
            ThreadSnapshot snapshot = new ThreadSnapshot(STACK);
            int tid = other(p);
            assumeTrue(Probe.trace(tid).works(), "ptrace is not permitted");
            for (int i = 0; i < 200; i++) {
                assertThat(stopper.stopAndCopy(tid, STACK, snapshot)).isEqualTo(ThreadStopper.Outcome.COPIED);
            }
            assertThat(snapshot.registers().pc()).isBetween(burn, burn + 64);
            assertThat(snapshot.registers().knows(X86_64.RBP)).isTrue();
            assertThat(snapshot.stackWords()).isPositive();
            // The return address into burner, which is the word below burn's frame, is near the top.
            assertThat(snapshot.stack()[0]).isBetween(burn, burn + 256);
            Mapping stack = p.mappings().stream()
                    .filter(m -> m.contains(snapshot.stackBase()))
                    .findFirst()
                    .orElseThrow();
            assertThat(snapshot.stackBase() + 8L * snapshot.stackWords()).isLessThanOrEqualTo(stack.end());
            assertThat(p.thread(tid).state()).isNotIn('t', 'T');
            assertThat(program.ask()).isEqualTo("0 0");
        }
    }

    /**
     * Blocked in epoll_wait(2), in read(2) and readv(2) of a socket with SO_RCVTIMEO, and in close(2), dup2(2), dup3(2)
     * and close_range(2) of one with SO_LINGER.
     */
    @ParameterizedTest
    @ValueSource(strings = {"e", "r", "v", "l", "2", "3", "4"})
    void threadInANonRestartableCallSeesNoEintr(String call) throws Exception {
        try (CProgram program = CProgram.start("target", call);
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p)) {
            program.line();
            int tid = other(p);
            await(p, tid, 'S');
            ThreadSnapshot snapshot = new ThreadSnapshot(STACK);
            assumeTrue(Probe.readMemory(p.pid()).works(), "reading memory is not permitted");
            for (int i = 0; i < 50; i++) {
                assertThat(stopper.stopAndCopy(tid, STACK, snapshot)).isEqualTo(ThreadStopper.Outcome.COPIED_UNSTOPPED);
            }
            assertThat(snapshot.registers().knows(X86_64.RBP)).isFalse();
            assertThat(snapshot.stackWords()).isPositive();
            assertThat(program.ask()).isEqualTo("0 0");
        }
    }

    @Test
    void aStoppedProcessStaysStopped() throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p)) {
            program.line();
            int tid = other(p);
            assumeTrue(Probe.trace(tid).works(), "ptrace is not permitted");
            p.pidfd().signal(19);
            await(p, tid, 'T');
            assertThat(stopper.stopAndCopy(tid, STACK, new ThreadSnapshot(STACK)))
                    .isEqualTo(ThreadStopper.Outcome.COPIED);
            await(p, tid, 'T');
            long cpu = p.threadFacts().cpuNanos(tid);
            assertThat(p.status().state()).isEqualTo('T');
            assertThat(p.threadFacts().cpuNanos(tid)).isEqualTo(cpu);
            p.pidfd().signal(18);
            assertThat(program.ask()).isEqualTo("0 0");
        }
    }

    /** One signal is always pending for the thread, and the next is sent only when it has been delivered. */
    @Test
    void signalThatArrivesInsteadOfTheStopIsDelivered() throws Exception {
        try (CProgram program = CProgram.start("target", "bk");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p)) {
            program.line();
            assumeTrue(Probe.trace(other(p)).works(), "ptrace is not permitted");
            ThreadSnapshot snapshot = new ThreadSnapshot(STACK);
            int burner = p.tids()[1];
            // In one of some dozens of cases, it arrives between the two calls that stop a thread.
            for (int i = 0; i < 1_000; i++) {
                assertThat(stopper.stopAndCopy(burner, 64, snapshot)).isEqualTo(ThreadStopper.Outcome.COPIED);
            }
            program.awaitSignal();
        }
    }

    /**
     * A thread about to be stopped may call execve(2) first: it is then traced under another id, and the others are
     * killed.
     */
    @RepeatedTest(10)
    void processThatExecsRepeatedlyIsNeverLeftStopped() throws Exception {
        try (CProgram program = CProgram.startFromShell("target", "bX");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            assumeTrue(Probe.trace(p.pid()).works(), "ptrace is not permitted");
            program.send();
            ThreadSnapshot snapshot = new ThreadSnapshot(STACK);
            try (ThreadStopper stopper = new ThreadStopper(p)) {
                for (int i = 0; i < 200; i++) {
                    for (int tid : p.tids()) {
                        assertThat(stopper.stopAndCopy(tid, STACK, snapshot))
                                .isNotEqualTo(ThreadStopper.Outcome.UNSUPPORTED);
                    }
                }
            }
            assertThat(p.facts().isTraced()).isFalse();
            for (int i = 0; i < 5; i++) {
                awaitExecve(p);
            }
        }
    }

    private static void awaitExecve(LiveProcess p) throws IOException {
        try (ProcessImage image = p.image()) {
            for (int i = 0; i < 10_000 && !image.isReplaced(); i++) {
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(image.isReplaced()).as("it continues to execute itself").isTrue();
        }
    }

    /** A clock that runs, and that a test can also advance. */
    private static final class Clock implements LongSupplier {
        private long ahead;

        @Override
        public long getAsLong() {
            return System.nanoTime() + ahead;
        }
    }

    /** The stopping thread loses its CPU while it holds another; simulated by advancing the clock meanwhile. */
    @Test
    void stopAboveTheTimeLimitIsCounted() throws Exception {
        Clock clock = new Clock();
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p, clock)) {
            program.line();
            int tid = other(p);
            assumeTrue(Probe.trace(tid).works(), "ptrace is not permitted");
            ThreadSnapshot snapshot = new ThreadSnapshot(STACK);
            assertThat(stopper.stopAndCopy(tid, STACK, snapshot, () -> clock.ahead += 207_000_000))
                    .isEqualTo(ThreadStopper.Outcome.COPIED);
            assertThat(snapshot.stopNanos()).isGreaterThanOrEqualTo(207_000_000);
            assertThat(stopper.overLimit()).isOne();
            assertThat(stopper.overLimitNanos()).isEqualTo(snapshot.stopNanos());
            assertThat(stopper.isTraced(tid)).isFalse();
            assertThat(program.ask()).isEqualTo("0 0");
        }
    }

    /** The action to run while a thread is held is omitted if the thread has been held up to the limit. */
    @Test
    void threadStoppedForTheTimeLimitIsReleasedAtOnce() throws Exception {
        long[] time = {0};
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p, () -> time[0] += ThreadStopper.STOP_LIMIT_NANOS)) {
            program.line();
            int tid = other(p);
            assumeTrue(Probe.trace(tid).works(), "ptrace is not permitted");
            int[] done = new int[1];
            ThreadSnapshot snapshot = new ThreadSnapshot(STACK);
            assertThat(stopper.stopAndCopy(tid, STACK, snapshot, () -> done[0]++))
                    .isEqualTo(ThreadStopper.Outcome.COPIED);
            assertThat(done[0]).isZero();
            assertThat(snapshot.stackWords()).isPositive();
            assertThat(stopper.isTraced(tid)).isFalse();
        }
    }

    @Test
    void stackCopyEndsAtTheTimeLimit() throws Exception {
        Clock clock = new Clock();
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            assumeTrue(Probe.readMemory(p.pid()).works(), "reading memory is not permitted");
            Mapping large = p.mappings().stream()
                    .filter(m -> m.executable() && m.end() - m.start() > 4 * STACK)
                    .findFirst()
                    .orElseThrow();
            ThreadSnapshot snapshot = new ThreadSnapshot(4 * STACK);
            StopClock stop = new StopClock(clock);
            StackCopy copy = new StackCopy(p, stop);
            snapshot.registers().set(X86_64.RSP, large.start());
            stop.free(stop.now());
            clock.ahead = ThreadStopper.STOP_LIMIT_NANOS;
            copy.copy(4 * STACK, snapshot);
            assertThat(snapshot.stackWords()).isEqualTo(STACK / 8);
            assertThat(snapshot.stackFull()).isTrue();
        }
    }

    /** The thread stops only after the time-out, and is released at the next check. */
    @Test
    void threadThatStopsLateIsReleasedAndCounted() throws Exception {
        Clock clock = new Clock();
        try (CProgram program = CProgram.startFromShell("target", "b");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p, clock)) {
            program.line();
            int tid = other(p);
            assumeTrue(Probe.trace(tid).works(), "ptrace is not permitted");
            assertThat(new Ptrace().seize(tid)).isZero();
            stopper.unreleased.add(tid);
            assertThat(stopper.releaseLate()).as("it has not stopped yet").isFalse();
            new Ptrace().interrupt(tid);
            await(p, tid, 't');
            clock.ahead = 232_000_000;
            assertThat(stopper.releaseLate()).isTrue();
            assertThat(stopper.overLimit()).isOne();
            assertThat(stopper.isTraced(tid)).isFalse();
        }
    }

    @Test
    void threadTracedByAnotherIsRefusedNamingTheTracer() throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p)) {
            program.line();
            int tid = other(p);
            assumeTrue(Probe.trace(tid).works(), "ptrace is not permitted");
            Object release = new Object();
            long[] seized = {Long.MIN_VALUE};
            Thread rival = new Thread(() -> {
                synchronized (release) {
                    seized[0] = new Ptrace().seize(tid);
                    release.notifyAll();
                    while (seized[0] == 0) {
                        try {
                            release.wait();
                        } catch (InterruptedException e) {
                            return;
                        }
                    }
                }
            });
            synchronized (release) {
                rival.start();
                while (seized[0] == Long.MIN_VALUE) {
                    release.wait();
                }
            }
            assertThat(stopper.stopAndCopy(tid, STACK, new ThreadSnapshot(STACK)))
                    .isEqualTo(ThreadStopper.Outcome.NOT_PERMITTED);
            assertThat(stopper.refusal())
                    .contains("process " + ProcessHandle.current().pid());
            synchronized (release) {
                seized[0] = 1;
                release.notifyAll();
            }
            rival.join();
        }
    }

    /** The id of an ended thread is reused by a thread of another process between the check and the seize. */
    @Test
    void threadOfAnotherProcessThatReusesTheIdIsReleased() throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                CProgram stranger = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid());
                LiveProcess other = LiveProcess.open(stranger.pid());
                ThreadStopper stopper = new ThreadStopper(p);
                ThreadStopper its = new ThreadStopper(other)) {
            program.line();
            stranger.line();
            int tid = other(other);
            assumeTrue(Probe.trace(tid).works(), "ptrace is not permitted");
            assertThat(stopper.seize(new Ptrace(), tid)).isEqualTo(-Errno.ESRCH);
            assertThat(its.isTraced(tid)).isFalse();
            assertThat(its.stopAndCopy(tid, STACK, new ThreadSnapshot(STACK))).isEqualTo(ThreadStopper.Outcome.COPIED);
        }
    }

    /** The id is reused before the stop. */
    @Test
    void copyOfAThreadOfAnotherProcessIsDiscarded() throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                CProgram stranger = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid());
                LiveProcess other = LiveProcess.open(stranger.pid());
                ThreadStopper stopper = new ThreadStopper(p)) {
            program.line();
            stranger.line();
            int tid = other(other);
            assumeTrue(Probe.trace(tid).works(), "ptrace is not permitted");
            assertThat(stopper.stop(tid, STACK, new ThreadSnapshot(STACK), () -> {}))
                    .isEqualTo(ThreadStopper.Outcome.GONE);
            assertThat(stopper.releaseLate()).isTrue();
            assertThat(other.facts().isTraced()).isFalse();
            await(other, tid, 'R');
        }
    }

    @Test
    void anEndedThreadIsGone() throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(p)) {
            program.line();
            int tid = other(p);
            program.kill();
            assertThat(stopper.stopAndCopy(tid, STACK, new ThreadSnapshot(STACK)))
                    .isEqualTo(ThreadStopper.Outcome.GONE);
        }
    }

    @Test
    void targetContinuesIfTheTracerIsKilled() throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            int tid = other(p);
            assumeTrue(Probe.trace(tid).works(), "ptrace is not permitted");
            Process tracer = tracer(Integer.toString(tid));
            assertThat(tracer.inputReader().readLine()).isEqualTo("held");
            assertThat(p.thread(tid).state()).isEqualTo('t');
            tracer.destroyForcibly().waitFor();
            await(p, tid, 'R');
            assertThat(program.ask()).isEqualTo("0 0");
        }
    }

    /**
     * The signal is delivered even if the tracer has already observed the stop: a process that is killed at that moment
     * cannot pass the signal on.
     */
    @ParameterizedTest
    @ValueSource(strings = {"signal", "signal reap"})
    void interceptedSignalIsDeliveredIfTheTracerIsKilled(String what) throws Exception {
        try (CProgram program = CProgram.startFromShell("target", "b");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            assumeTrue(Probe.trace(p.pid()).works(), "ptrace is not permitted");
            Process tracer = tracer((p.pid() + " " + what).split(" "));
            BufferedReader said = tracer.inputReader();
            assertThat(said.readLine()).isEqualTo("seized");
            p.pidfd().signal(10);
            assertThat(said.readLine()).isEqualTo("held");
            assertThat(p.thread(p.pid()).state()).isEqualTo('t');
            tracer.destroyForcibly().waitFor();
            assertThat(program.ask()).isEqualTo("0 1");
        }
    }

    private static Process tracer(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                String.join(
                        ":",
                        place(Ptrace.class),
                        place(Memory.class),
                        place(Architecture.class),
                        "target/test-classes"),
                HoldingTracer.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String place(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }
}
