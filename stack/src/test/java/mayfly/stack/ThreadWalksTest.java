package mayfly.stack;

import static mayfly.stack.ScriptedProcess.SP;
import static mayfly.stack.ScriptedRuntime.inLibrary;
import static mayfly.stack.ScriptedRuntime.java;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import mayfly.discovery.Refused;
import mayfly.linux.trace.ThreadStopper.Outcome;
import mayfly.process.Registers;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThreadWalksTest {
    private static final int TID = 5;
    /** Code that a thread executes. */
    private static final long LEAF = 0x1000;
    /** Managed code that ends at the root. */
    private static final long MAIN = 0x2000;

    private final ScriptedProcess process = new ScriptedProcess();
    private final Seen seen = new Seen();

    private ThreadWalk walk(WalkRequest request) throws Refused {
        return process.walks().walk(request, seen, "");
    }

    /** A Java thread at native code that cannot be stepped over. */
    private void unwalkable() {
        process.javaThread(TID, "worker", LEAF);
        process.runtime.end(LEAF, Step.NO_CFI, inLibrary("read"));
        process.root(MAIN, java("main"));
    }

    @Test
    void walkToTheRootIsDone() throws Exception {
        process.javaThread(TID, "worker", LEAF);
        process.runtime.call(LEAF, MAIN, inLibrary("read")).end(MAIN, Step.ROOT, java("main"));
        assertThat(walk(WalkRequest.of(TID)))
                .isEqualTo(new ThreadWalk(
                        WalkStatus.DONE, WalkOutcome.COMPLETE, ThreadWalk.Start.REGISTERS, 1_000 + TID, 20, ""));
        assertThat(seen.reports).containsExactly("read", "Orders.main");
    }

    @Test
    void walkThatEndsAfterAManagedFrameIsBroken() throws Exception {
        process.javaThread(TID, "worker", MAIN);
        process.runtime.end(MAIN, Step.BAD_METADATA, java("main"));
        ThreadWalk result = walk(WalkRequest.of(TID));
        assertThat(result.status()).isEqualTo(WalkStatus.BROKEN);
        assertThat(result.outcome()).isEqualTo(WalkOutcome.BAD_METADATA);
        assertThat(process.calls).as("no second copy").containsExactly("copy " + TID);
    }

    @Test
    void frameLimitTruncatesTheWalk() throws Exception {
        process.thread(TID, "java", LEAF);
        process.runtime.call(LEAF, MAIN, java("leaf")).end(MAIN, Step.ROOT, java("main"));
        ThreadWalk result = walk(WalkRequest.of(TID).limitedTo(1));
        assertThat(result.outcome()).isEqualTo(WalkOutcome.TRUNCATED);
        assertThat(result.status()).isEqualTo(WalkStatus.DONE);
        assertThat(seen.reports).containsExactly("Orders.leaf");
    }

    @Test
    void threadCopiedWithoutAStopHasNoStopTime() throws Exception {
        process.thread(TID, "java", MAIN).root(MAIN, java("main"));
        process.outcomes.put(TID, List.of(Outcome.COPIED_UNSTOPPED));
        assertThat(walk(WalkRequest.of(TID)).stopNanos()).isZero();
    }

    @Test
    void endedThreadIsGone() throws Exception {
        process.outcomes.put(TID, List.of(Outcome.GONE));
        assertThat(walk(WalkRequest.of(TID))).isEqualTo(ThreadWalk.gone());
        assertThat(seen.reports).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "TIMED_OUT,it did not stop in time",
        "BLOCKED_IN_UNSAFE_SYSCALL,it repeatedly enters a system call that a stop would end early",
        "UNSUPPORTED,it is not a 64-bit thread"
    })
    void threadThatCannotBeCopiedHasAReason(Outcome outcome, String reason) throws Exception {
        process.outcomes.put(TID, List.of(outcome));
        ThreadWalk result = walk(WalkRequest.of(TID));
        assertThat(result.status()).isEqualTo(WalkStatus.STACK_SNAPSHOT_UNSAFE);
        assertThat(result.reason()).isEqualTo(reason);
        assertThat(result.timeNanos()).isZero();
        assertThat(seen.reports).isEmpty();
    }

    @Test
    void walkOfAThreadWithAnotherTracerIsRefused() {
        process.outcomes.put(TID, List.of(Outcome.NOT_PERMITTED));
        process.isTracedByAnother = true;
        process.refusal = "process 9 (gdb) traces it";
        assertThatThrownBy(() -> walk(WalkRequest.of(TID))).isInstanceOfSatisfying(Refused.class, refused -> {
            assertThat(refused.reason()).isEqualTo(Refused.Reason.TRACED);
            assertThat(refused).hasMessageContaining("thread 5 of process 4711: process 9 (gdb) traces it");
        });
    }

    @Test
    void walkOfAReplacedProgramIsRefused() {
        process.thread(TID, "java", MAIN).root(MAIN, java("main"));
        process.isReplaced = true;
        assertThatThrownBy(() -> walk(WalkRequest.of(TID))).isInstanceOfSatisfying(Refused.class, refused -> {
            assertThat(refused.reason()).isEqualTo(Refused.Reason.TARGET_GONE);
            assertThat(refused).hasMessageContaining("became another program");
        });
        assertThat(seen.reports).isEmpty();
    }

    @Test
    void threadsOfAnEndedProcessCannotBeListed() {
        process.isAlive = false;
        assertThatThrownBy(() -> process.walks().threads())
                .isInstanceOf(Refused.class)
                .hasMessageContaining("process 4711 ended");
    }

    @Test
    void receiverThatAbortsEndsTheWalk() throws Exception {
        process.thread(TID, "java", LEAF);
        process.runtime.call(LEAF, MAIN, java("leaf")).end(MAIN, Step.ROOT, java("main"));
        Seen first = new Seen(1);
        assertThat(process.walks().walk(WalkRequest.of(TID), first, "").status())
                .isEqualTo(WalkStatus.STACK_SNAPSHOT_ABORTED);
        assertThat(first.reports).containsExactly("Orders.leaf");
    }

    @Test
    void walkFromACallbackFailsAndLeavesTheObjectUsable() throws Exception {
        process.thread(TID, "java", MAIN).root(MAIN, java("main"));
        ThreadWalks walks = process.walks();
        assertThatThrownBy(() -> walks.walk(
                        WalkRequest.of(TID),
                        (report, data) -> {
                            try {
                                walks.walk(WalkRequest.of(TID), seen, "");
                            } catch (Refused e) {
                                throw new AssertionError(e);
                            }
                            return FrameCallback.Action.CONTINUE;
                        },
                        ""))
                .isInstanceOf(IllegalStateException.class);
        assertThat(walks.walk(WalkRequest.of(TID), seen, "").status()).isEqualTo(WalkStatus.DONE);
    }

    @Test
    void unwalkableLeafIsSkippedByTheRecordOfTheRuntime() throws Exception {
        unwalkable();
        process.runtime.lastManagedFrames.put((long) TID, ScriptedProcess.at(MAIN, SP));
        ThreadWalk result = walk(WalkRequest.of(TID));
        assertThat(result.status()).isEqualTo(WalkStatus.DONE);
        assertThat(result.start()).isEqualTo(ThreadWalk.Start.LAST_MANAGED_FRAME);
        assertThat(seen.reports).containsExactly("read", "hole " + FrameReport.UNKNOWN, "Orders.main");
        assertThat(process.calls).containsExactly("copy " + TID, "copy " + TID);
    }

    @Test
    void recordOutsideTheStackIsNotUsed() throws Exception {
        unwalkable();
        process.runtime.lastManagedFrames.put((long) TID, ScriptedProcess.at(MAIN, SP + (4 << 20)));
        ThreadWalk result = walk(WalkRequest.of(TID));
        assertThat(result.status()).isEqualTo(WalkStatus.STACK_SNAPSHOT_UNMANAGED_CONTEXT);
        assertThat(result.reason()).contains("its runtime has not recorded the call");
        assertThat(seen.reports).containsExactly("read");
    }

    @Test
    void nativeThreadAtUnwalkableCodeIsBroken() throws Exception {
        process.thread(TID, "native", LEAF);
        process.runtime.end(LEAF, Step.NO_CFI, inLibrary("read"));
        assertThat(walk(WalkRequest.of(TID)).status()).isEqualTo(WalkStatus.BROKEN);
        assertThat(seen.reports).containsExactly("read");
    }

    @Test
    void seedIsUsedIfTheRuntimeHasNoRecord() throws Exception {
        unwalkable();
        ThreadWalk result = walk(WalkRequest.of(TID).seededWith(ScriptedProcess.at(MAIN, SP)));
        assertThat(result.status()).isEqualTo(WalkStatus.DONE);
        assertThat(result.start()).isEqualTo(ThreadWalk.Start.SEED);
        assertThat(seen.reports).containsExactly("read", "hole " + FrameReport.UNKNOWN, "Orders.main");
    }

    @Test
    void recordOfTheRuntimeHasPrecedenceOverTheSeed() throws Exception {
        unwalkable();
        process.root(0x3000, java("other"));
        process.runtime.lastManagedFrames.put((long) TID, ScriptedProcess.at(MAIN, SP));
        assertThat(walk(WalkRequest.of(TID).seededWith(ScriptedProcess.at(0x3000, SP)))
                        .start())
                .isEqualTo(ThreadWalk.Start.LAST_MANAGED_FRAME);
        assertThat(seen.reports).endsWith("Orders.main");
    }

    @Test
    void seedOutsideTheStackIsRefused() throws Exception {
        unwalkable();
        for (long sp : new long[] {SP - 8, SP + 4, SP + (4 << 20)}) {
            ThreadWalk result = walk(WalkRequest.of(TID).seededWith(ScriptedProcess.at(MAIN, sp)));
            assertThat(result.status()).isEqualTo(WalkStatus.STACK_SNAPSHOT_UNMANAGED_CONTEXT);
            assertThat(result.reason()).isEqualTo("the seed's stack pointer is not in the thread's stack");
        }
    }

    @Test
    void seedWithoutProgramCounterIsRefused() throws Exception {
        unwalkable();
        Registers seed = ScriptedProcess.at(MAIN, SP);
        seed.forget(process.architecture().programCounter());
        assertThat(walk(WalkRequest.of(TID).seededWith(seed)).status())
                .isEqualTo(WalkStatus.STACK_SNAPSHOT_UNMANAGED_CONTEXT);
    }

    @Test
    void seedThatLeadsToNoManagedFrameIsReported() throws Exception {
        unwalkable();
        ThreadWalk result = walk(WalkRequest.of(TID).seededWith(ScriptedProcess.at(LEAF, SP)));
        assertThat(result.status()).isEqualTo(WalkStatus.STACK_SNAPSHOT_UNMANAGED_CONTEXT);
        assertThat(result.reason()).isEqualTo("no managed frame was found from the seed: no_cfi");
    }

    @Test
    void recordThatWasNotReadWithinTheLimitOfTheStopMakesTheWalkUnsafe() throws Exception {
        unwalkable();
        process.runtime.lastManagedFrames.put((long) TID, ScriptedProcess.at(MAIN, SP));
        process.reachesLimit = true;
        ThreadWalk result = walk(WalkRequest.of(TID));
        assertThat(result.status()).isEqualTo(WalkStatus.STACK_SNAPSHOT_UNSAFE);
        assertThat(result.reason()).startsWith("it was released at the time limit of a stop");
        assertThat(seen.reports).as("frames held back are dropped").isEmpty();
    }

    @Test
    void threadThatEndsBeforeTheSecondCopyIsGoneWithoutReports() throws Exception {
        unwalkable();
        process.outcomes.put(TID, new ArrayList<>(List.of(Outcome.COPIED, Outcome.GONE)));
        assertThat(walk(WalkRequest.of(TID))).isEqualTo(ThreadWalk.gone());
        assertThat(seen.reports).isEmpty();
    }

    @Test
    void closeReleasesTheThreadsAndTheProcess() {
        process.walks().close();
        assertThat(process.calls).containsExactly("close", "close");
    }
}
