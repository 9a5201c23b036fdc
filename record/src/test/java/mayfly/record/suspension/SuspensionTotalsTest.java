package mayfly.record.suspension;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.suspension.Suspension;
import org.junit.jupiter.api.Test;

class SuspensionTotalsTest {
    private static final long MS = 1_000_000;
    private static final Frame.Managed LOOP =
            new Frame.Managed(new RuntimeId(1), "java", Frame.Managed.COMPILED, "C2", "Orders", "count", "()V", 0, 17);

    private final SuspensionTotals totals = new SuspensionTotals();

    private static ObservedSuspension suspension(String cause, long reaching, long stopped) {
        return new ObservedSuspension(new Suspension(
                1, Suspension.Phase.ENDED, cause, MS, MS + reaching * MS, MS + (reaching + stopped) * MS));
    }

    @Test
    void longestDelayIsNamedWithItsOperationAndPlace() {
        ObservedSuspension slow = suspension("Cleanup", 100, 1);
        slow.add(new DelaySample(1, 0, WalkOutcome.COMPLETE, LOOP));
        slow.add(new DelaySample(1, 0, WalkOutcome.COMPLETE, LOOP));
        slow.add(new DelaySample(1, 1, WalkOutcome.NO_CFI, null));
        slow.add(new DelaySample(1, 2, WalkOutcome.COMPLETE, LOOP));
        totals.add(slow);
        totals.add(suspension("G1CollectForAllocation", 2, 30));
        assertThat(totals.notes(0))
                .containsExactly(
                        "safepoints: 2",
                        "time to safepoint: 102.000 ms in total, 100.000 ms at most (Cleanup)",
                        "delayed most by Orders.count (line 17): 75.000 ms of the time to safepoint, in 3 samples",
                        "at safepoints: 31.000 ms in total, 30.000 ms at most (G1CollectForAllocation)",
                        "by operation: Cleanup 101.000 ms (1), G1CollectForAllocation 32.000 ms (1)");
    }

    @Test
    void recordingWithoutSafepointSaysSo() {
        assertThat(totals.notes(0)).containsExactly("safepoints: 0");
    }

    @Test
    void safepointsWithUnknownTimesAreCounted() {
        totals.add(suspension("", 1, 1));
        assertThat(totals.notes(3))
                .startsWith("safepoints: 4")
                .contains("by operation: unknown operation 2.000 ms (1)")
                .anyMatch(note -> note.startsWith("safepoints with unknown times: 3;"));
    }

    @Test
    void lineOfAnUncertainLeafIsNearTheDelay() {
        ObservedSuspension slow = suspension("Cleanup", 100, 1);
        Frame.Managed near = new Frame.Managed(
                LOOP.runtime(),
                "java",
                LOOP.kind(),
                LOOP.tier(),
                "Orders",
                "count",
                "()V",
                0,
                17,
                "",
                Frame.Certainty.ENCLOSING);
        slow.add(new DelaySample(1, 0, WalkOutcome.COMPLETE, near));
        totals.add(slow);
        assertThat(totals.notes(0)).anyMatch(note -> note.startsWith("delayed most by Orders.count (near line 17): "));
    }

    @Test
    void safepointThatHasNotEndedIsCounted() {
        ObservedSuspension hung =
                new ObservedSuspension(new Suspension(1, Suspension.Phase.REACHING, "Cleanup", MS, 0, 0));
        assertThat(hung.endObservation(11 * MS)).isTrue();
        totals.add(hung);
        assertThat(totals.notes(0))
                .contains("time to safepoint: 10.000 ms in total, 10.000 ms at most (Cleanup)")
                .contains("safepoints that had not ended when the recording ended: 1");
    }
}
