package mayfly.record;

import static mayfly.record.ScriptedRecording.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import mayfly.profile.Profile;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import org.junit.jupiter.api.Test;

class RecordingSessionTest {
    private static final String ENDED = "the recording ended with the target";
    private static final String REPLACED = "the recording ended when the target became another program by execve(2)";
    private final ScriptedRuntime r1 = new ScriptedRuntime(1);
    private final ScriptedRuntime r2 = new ScriptedRuntime(2);

    @Test
    void drainsAreFrequentAtFirstAndRareWhenCodeIsStable() throws Exception {
        var recording = new ScriptedRecording(ScriptedTarget.with(r1)).waits(105);
        recording.run();
        assertThat(recording.waits.subList(0, 100)).containsOnly(20);
        assertThat(recording.waits.subList(100, 105)).as("two seconds later").containsOnly(200);
    }

    @Test
    void drainsAreFrequentAgainAfterCodeWasReplaced() throws Exception {
        var recording = new ScriptedRecording(ScriptedTarget.with(r1))
                .waits(104)
                .then(() -> r1.superseded += 4)
                .waits(100)
                .waits(2);
        recording.run();
        assertThat(recording.waits.get(104)).isEqualTo(200);
        assertThat(recording.waits.subList(105, 205)).containsOnly(20);
        assertThat(recording.waits.get(206)).isEqualTo(200);
    }

    @Test
    void sampleThatComesTooLateForItsCodeMakesDrainsFrequent() throws Exception {
        var recording = new ScriptedRecording(ScriptedTarget.with(r1))
                .waits(104)
                .sample(ScriptedRuntime.STALE_PC)
                .waits(1);
        Profile profile = recording.run();
        assertThat(recording.waits.subList(104, 106)).containsExactly(200, 20);
        assertThat(profile.outcomeOf(0)).isEqualTo(WalkOutcome.STALE_CODE);
    }

    @Test
    void stackBeyondTheCopyMakesDrainsUrgentForHalfASecond() throws Exception {
        var recording = new ScriptedRecording(ScriptedTarget.with(r1))
                .waits(104)
                .sample(ScriptedRuntime.DEEP_LEAF_PC)
                .waits(501);
        Profile profile = recording.run();
        assertThat(recording.waits.subList(105, 605)).containsOnly(1);
        assertThat(recording.waits.get(605)).isEqualTo(200);
        assertThat(profile.outcomeOf(0)).isEqualTo(WalkOutcome.UNPROVEN);
    }

    @Test
    void startedProgramIsDrainedEveryFiveMillisecondsUntilItHasARuntime() throws Exception {
        var target = ScriptedTarget.spawned();
        var recording = new ScriptedRecording(target)
                .waits(10)
                .then(() -> target.finds.add(List.of(r1)))
                .waits(200)
                .waits(1);
        recording.run();
        assertThat(recording.waits.subList(0, 210))
                .as("for one second after the last drain without")
                .containsOnly(5);
        assertThat(recording.waits.get(210)).isGreaterThan(5);
    }

    @Test
    void startedProgramWhoseMemoryIsNotHeldIsDrainedOften() throws Exception {
        var target = ScriptedTarget.with(r1);
        target.isSpawned = true;
        target.isHeld = false;
        var recording = new ScriptedRecording(target).waits(110);
        recording.run();
        assertThat(recording.waits.subList(0, 110)).containsOnly(20);
    }

    @Test
    void lateRuntimeIsInTheCaptureWithItsProgram() throws Exception {
        var target = ScriptedTarget.spawned();
        var recording = new ScriptedRecording(target).waits(3).then(() -> target.finds.add(List.of(r1)));
        Profile profile = recording.run();
        assertThat(profile.recording().runtimes())
                .extracting(RecordedRuntime::id)
                .containsExactly(new RuntimeId(1));
        assertThat(profile.recording().commandLine()).isEqualTo("java Orders");
        assertThat(recording.session().ledger().notes()).containsExactly(ENDED);
    }

    @Test
    void secondRuntimeIsInTheCaptureAndTheProgramIsKept() throws Exception {
        var target = ScriptedTarget.with(r1);
        var recording = new ScriptedRecording(target).then(() -> {
            target.hasUnknownLibrary = true;
            target.finds.add(List.of(r2));
        });
        Profile profile = recording.run();
        assertThat(profile.recording().runtimes())
                .extracting(RecordedRuntime::id)
                .containsExactly(new RuntimeId(2));
        assertThat(profile.recording().commandLine()).isEqualTo("sh script");
    }

    @Test
    void samplesWaitWhileARuntimeIsStarting() throws Exception {
        var target = ScriptedTarget.spawned();
        target.hasUnknownLibrary = true;
        target.isStarting = true;
        var recording = new ScriptedRecording(target)
                .sample(ScriptedRuntime.LEAF_PC)
                .waits(4)
                .then(() -> {
                    target.finds.add(List.of(r1));
                    target.hasUnknownLibrary = false;
                });
        Profile profile = recording.run();
        assertThat(recording.pauses).isEqualTo(5);
        assertThat(recording.drains)
                .as("the first one is after the runtime was found")
                .first()
                .isEqualTo(55L);
        assertThat(profile.outcomeOf(0)).isEqualTo(WalkOutcome.COMPLETE);
        assertThat(profile.frames()).containsExactly(r1.frame("root"), r1.frame("leaf"));
    }

    @Test
    void samplesDoNotWaitIfTheSourceHasNoRoom() throws Exception {
        var target = ScriptedTarget.spawned();
        target.hasUnknownLibrary = true;
        target.isStarting = true;
        var recording = new ScriptedRecording(target).waits(3);
        recording.hasRoom = false;
        recording.run();
        assertThat(recording.pauses).isZero();
        assertThat(recording.drains).startsWith(5L, 10L, 15L);
    }

    @Test
    void samplesOfAProcessThatWasNotStartedDoNotWait() throws Exception {
        var target = new ScriptedTarget();
        target.hasUnknownLibrary = true;
        target.isStarting = true;
        var recording = new ScriptedRecording(target).waits(3);
        recording.run();
        assertThat(recording.pauses).isZero();
    }

    @Test
    void samplesAreReadWhenTheTargetEndsDuringTheWait() throws Exception {
        var target = ScriptedTarget.spawned();
        target.hasUnknownLibrary = true;
        target.isStarting = true;
        var recording = new ScriptedRecording(target).waits(2);
        recording.run();
        assertThat(recording.pauses).isEqualTo(2);
        assertThat(recording.drains).isNotEmpty();
        assertThat(recording.session().ledger().notes())
                .containsExactly(
                        "a JVM was starting in the process, and could not be read before the process ended", ENDED);
    }

    @Test
    void programWithoutARuntimeIsNoted() throws Exception {
        var recording = new ScriptedRecording(ScriptedTarget.spawned()).waits(2);
        recording.run();
        assertThat(recording.session().ledger().notes()).hasSize(2).last().isEqualTo(ENDED);
        assertThat(recording.session().ledger().notes().getFirst()).startsWith("the program ran no JVM itself");
    }

    @Test
    void endOfTheTargetEndsTheRecordingAfterTwoMoreDrains() throws Exception {
        var target = ScriptedTarget.with(r1);
        var recording = new ScriptedRecording(target).waits(2).sample(ScriptedRuntime.LEAF_PC);
        Profile profile = recording.run();
        assertThat(recording.waits).containsExactly(20, 20, 20, 20, 12);
        assertThat(recording.drains).containsExactly(20L, 40L, 60L, 80L, 80L, 92L);
        assertThat(recording.calls).containsExactly("enable", "disable", "close");
        assertThat(recording.session().ledger().notes()).containsExactly(ENDED);
        assertThat(profile.sampleCount()).isEqualTo(1);
        assertThat(target.calls).last().isEqualTo("close");
    }

    @Test
    void sourceThatIsEnabledAlreadyIsNotEnabledAgainAndItsTimeCounts() throws Exception {
        long enabled = START - 100 * ScriptedRecording.MS;
        var recording = new ScriptedRecording(ScriptedTarget.with(r1), Duration.ofMillis(300), enabled).waits(100);
        recording.run();
        assertThat(recording.calls).containsExactly("disable", "close");
        assertThat(recording.drains).endsWith(200L, 212L);
        assertThat(recording.session().ledger().durationNanos()).isEqualTo(312 * ScriptedRecording.MS);
    }

    @Test
    void samplesOfAnEarlyStartAreDroppedIfTheProgramHasBeenReplaced() throws Exception {
        var target = ScriptedTarget.with(r1);
        target.isReplaced = true;
        var recording = new ScriptedRecording(target, Duration.ZERO, START - ScriptedRecording.MS).waits(100);
        recording.run();
        assertThat(recording.calls).containsExactly("discard", "disable", "close");
        assertThat(recording.session().ledger().notes()).containsExactly(REPLACED);
    }

    @Test
    void execveReportedByTheSourceEndsTheRecording() throws Exception {
        var recording = new ScriptedRecording(ScriptedTarget.with(r1));
        recording.waits(2).then(() -> recording.isReplaced = true).waits(100);
        recording.run();
        assertThat(recording.waits).containsExactly(20, 20, 20, 12);
        assertThat(recording.session().ledger().notes()).containsExactly(REPLACED);
    }

    @Test
    void execveThatTheSourceMissesIsFoundWithinASecond() throws Exception {
        var target = ScriptedTarget.with(r1);
        var recording = new ScriptedRecording(target)
                .waits(2)
                .then(() -> target.isReplaced = true)
                .waits(100);
        recording.run();
        assertThat(recording.waits).hasSize(52).startsWith(20, 20, 20).endsWith(20, 12);
        assertThat(recording.session().ledger().notes()).containsExactly(REPLACED);
    }

    @Test
    void execveAndEndAtOnceAreReportedAsExecve() throws Exception {
        var recording = new ScriptedRecording(ScriptedTarget.with(r1));
        recording.isReplaced = true;
        recording.run();
        assertThat(recording.session().ledger().notes()).containsExactly(REPLACED);
    }

    @Test
    void recordingEndsWithItsDuration() throws Exception {
        var recording = new ScriptedRecording(ScriptedTarget.with(r1), Duration.ofMillis(50)).waits(100);
        recording.run();
        assertThat(recording.waits).containsExactly(20, 20, 10, 12);
        assertThat(recording.session().ledger().notes()).isEmpty();
        assertThat(recording.session().ledger().durationNanos()).isEqualTo(62 * ScriptedRecording.MS);
    }

    @Test
    void stopEndsTheRecordingAfterTheCurrentDrain() throws Exception {
        var recording = new ScriptedRecording(ScriptedTarget.with(r1));
        recording.waits(1).then(() -> recording.session().stop()).waits(100);
        recording.run();
        assertThat(recording.waits).containsExactly(20, 20, 12);
        assertThat(recording.session().ledger().notes()).isEmpty();
    }

    @Test
    void startedProgramIsSampledFromItsFirstInstruction() throws Exception {
        var target = ScriptedTarget.spawned();
        var recording = new ScriptedRecording(target);
        recording.run();
        assertThat(recording.calls).startsWith("enable", "discard");
        assertThat(target.calls).startsWith("start", "followExec", "newEpoch");
    }

    @Test
    void sourceThatCannotBeEnabledAtTheStartFailsTheRecording() throws Exception {
        var recording = new ScriptedRecording(ScriptedTarget.spawned());
        recording.failsToEnable = new IOException("no perf events");
        assertThatThrownBy(recording::run).isSameAs(recording.failsToEnable);
    }

    @Test
    void walkerOfASampleIsThatOfItsTime() throws Exception {
        var target = ScriptedTarget.with(r1);
        new ScriptedRecording(target).waits(1).sample(ScriptedRuntime.LEAF_PC).run();
        assertThat(target.walkedTimes).containsExactly(START + 40 * ScriptedRecording.MS);
    }
}
