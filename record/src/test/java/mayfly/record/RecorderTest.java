package mayfly.record;

import static mayfly.record.ScriptedRecording.START;
import static org.assertj.core.api.Assertions.assertThat;

import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import mayfly.record.event.SampleSink;
import org.junit.jupiter.api.Test;

/** Walks of scripted stacks. */
class RecorderTest {
    private final ScriptedRuntime r1 = new ScriptedRuntime(1);
    private final ScriptedTarget target = ScriptedTarget.with(r1);

    @Test
    void walkReturnsItsOutcomeAndTheEndOfTheStack() throws Exception {
        var recording = new ScriptedRecording(target);
        recording.recorder.begin();
        SampleSink.Walk walk = recording.walk(ScriptedRuntime.LEAF_PC, START);
        assertThat(walk.outcome()).isEqualTo(WalkOutcome.COMPLETE);
        assertThat(walk.stackEnd())
                .isEqualTo(ScriptedRecording.at(ScriptedRuntime.LEAF_PC).sp() + ScriptedRuntime.FRAME_BYTES);
    }

    @Test
    void droppedWalkLeavesKernelFramesOnly() throws Exception {
        var recording = new ScriptedRecording(target);
        recording.recorder.begin();
        recording.recorder.kernelFrame(0xffff_0000_0000_1000L);
        recording.walk(ScriptedRuntime.LEAF_PC, START).drop();
        recording.write(START, WalkOutcome.PROGRAM_REPLACED);
        Profile profile = recording.run();
        assertThat(profile.frames()).hasSize(1).first().isInstanceOf(Frame.Kernel.class);
        assertThat(profile.outcomeOf(0)).isEqualTo(WalkOutcome.PROGRAM_REPLACED);
    }

    @Test
    void secondWalkAfterADropReplacesTheFramesOfTheFirst() throws Exception {
        var recording = new ScriptedRecording(target);
        recording.recorder.begin();
        recording.walk(ScriptedRuntime.LEAF_PC, START).drop();
        SampleSink.Walk again = recording.walk(ScriptedRuntime.ROOT_PC, START);
        recording.write(START, again.outcome());
        assertThat(recording.run().frames()).containsExactly(r1.frame("root"));
    }

    /** A sample must not allocate. */
    @Test
    void allWalksHaveTheSameResultObject() throws Exception {
        var recording = new ScriptedRecording(target);
        SampleSink.Walk first = recording.walk(ScriptedRuntime.LEAF_PC, START);
        assertThat(recording.walk(ScriptedRuntime.STALE_PC, START)).isSameAs(first);
        assertThat(first.outcome()).isEqualTo(WalkOutcome.STALE_CODE);
    }

    @Test
    void framesFromLiveMemoryOfAnEndedThreadAreDropped() throws Exception {
        target.isStillRunning = false;
        var recording = new ScriptedRecording(target);
        recording.recorder.begin();
        SampleSink.Walk walk = recording.walk(ScriptedRuntime.DEEP_LEAF_PC, START);
        recording.write(START, walk.outcome());
        Profile profile = recording.run();
        assertThat(profile.outcomeOf(0)).isEqualTo(WalkOutcome.THREAD_GONE);
        assertThat(profile.frames()).containsExactly(r1.frame("leaf"));
    }

    @Test
    void brokenWalkOfAnEndedProcessReportsTheEnd() throws Exception {
        target.isEnded = true;
        assertThat(new ScriptedRecording(target)
                        .walk(ScriptedRuntime.STALE_PC, START)
                        .outcome())
                .isEqualTo(WalkOutcome.TARGET_ENDED);
    }
}
