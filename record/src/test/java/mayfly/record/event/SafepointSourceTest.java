package mayfly.record.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refused;
import mayfly.profile.Ledger;
import mayfly.runtime.suspension.Suspension;
import mayfly.runtime.suspension.Suspension.Phase;
import mayfly.runtime.suspension.Suspensions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The source with scripted safepoints and scripted samples. Uses this process as the target. */
class SafepointSourceTest {
    private static final int PID = (int) ProcessHandle.current().pid();
    private static final int LOOP = 12;
    private static final int SLOW = 13;
    private static final int IDLE = 14;

    private Suspension latest = Suspension.NONE;
    private final Set<Integer> running = Set.of(LOOP, SLOW);
    private final ScriptedSamples samples = new ScriptedSamples();
    private final SampleLines lines = new SampleLines();
    private final List<String> written = lines.written;
    private InspectedProcess target;
    private SafepointSource source;

    @BeforeEach
    void open() throws Exception {
        target = InspectedProcess.open(PID);
        source = new SafepointSource(target, samples, runtime -> Optional.of(new Scripted()));
        source.enable();
    }

    @AfterEach
    void close() {
        target.close();
    }

    private final class Scripted implements Suspensions {
        @Override
        public Optional<Suspension> latest() {
            return Optional.of(latest);
        }

        @Override
        public Optional<Set<Integer>> running() {
            return Optional.of(running);
        }

        @Override
        public int suspender() {
            return 0;
        }
    }

    private void sample(int tid, int time) {
        samples.add(tid, time);
    }

    private void drain() throws IOException {
        source.begin();
        source.drain(lines);
    }

    private static Suspension reaching(long number, long begun) {
        return new Suspension(number, Phase.REACHING, "Cleanup", begun, 0, 0);
    }

    private static Suspension ended(long number, long begun, long reached, long ended) {
        return new Suspension(number, Phase.ENDED, "Cleanup", begun, reached, ended);
    }

    @Test
    void timeToSafepointIsDividedAmongTheSamplesOfThreadsThatDelayIt() throws Exception {
        latest = reaching(1, 100);
        sample(LOOP, 90);
        sample(LOOP, 110);
        sample(IDLE, 120);
        sample(LOOP, 130);
        sample(SampleLines.NATIVE, 140);
        drain();
        assertThat(written).as("it has not ended").isEmpty();
        latest = ended(1, 100, 201, 250);
        sample(SLOW, 190);
        sample(LOOP, 195);
        sample(LOOP, 202);
        drain();
        assertThat(written)
                .containsExactly(
                        "12 201 75 reaching: leaf of 12 [time to safepoint]",
                        "13 201 26 reaching: leaf of 13 [time to safepoint]",
                        PID + " 250 49 stopped: Cleanup [at safepoint]");
    }

    @Test
    void safepointThatNoLookSawWaitingIsDelayedByManagedCode() throws Exception {
        latest = ended(1, 100, 200, 250);
        sample(IDLE, 150);
        sample(SampleLines.NATIVE, 160);
        drain();
        assertThat(written)
                .containsExactly(
                        "14 200 100 reaching: leaf of 14 [time to safepoint]",
                        PID + " 250 50 stopped: Cleanup [at safepoint]");
    }

    @Test
    void safepointWithoutSampleHasItsTimes() throws Exception {
        latest = ended(1, 100, 130, 200);
        drain();
        latest = new Suspension(2, Phase.ENDED, "", 300, 310, 320);
        drain();
        assertThat(written)
                .containsExactly(
                        PID + " 130 30 reaching: [threads not sampled] [time to safepoint]",
                        PID + " 200 70 stopped: Cleanup [at safepoint]",
                        PID + " 310 10 reaching: [threads not sampled] [time to safepoint]",
                        PID + " 320 10 stopped: [operation unknown] [at safepoint]");
    }

    @Test
    void safepointThatEndsDuringADrainIsWrittenByTheNext() throws Exception {
        latest = reaching(1, 100);
        source.begin();
        latest = ended(1, 100, 130, 200);
        source.drain(lines);
        assertThat(written).as("samples of it may come").isEmpty();
        sample(LOOP, 110);
        drain();
        assertThat(written).hasSize(2).first().asString().contains("leaf of 12");
    }

    @Test
    void safepointThatHasNotEndedIsWrittenAtTheEnd() throws Exception {
        latest = reaching(1, 100);
        sample(LOOP, 110);
        drain();
        source.disable();
        drain();
        assertThat(written).singleElement().asString().endsWith(" reaching: leaf of 12 [time to safepoint]");
        Ledger.Builder ledger = Ledger.builder("a script", 0);
        source.account(ledger);
        assertThat(ledger.build().notes())
                .contains("safepoints: 1", "safepoints that had not ended when the recording ended: 1");
        assertThat(ledger.build().lost()).isEqualTo(7);
    }

    @Test
    void safepointsOfAFormerProgramAreForgotten() throws Exception {
        latest = ended(1, 100, 130, 200);
        source.begin();
        source.discard();
        latest = ended(1, 100, 130, 200);
        drain();
        assertThat(written).isEmpty();
    }

    @Test
    @Timeout(60)
    void waitEndsWhenASafepointHasEnded() throws Exception {
        drain();
        latest = ended(1, 100, 130, 200);
        assertThat(source.await(600_000)).isTrue();
    }

    @Test
    void runtimeWithoutRecordIsRefusedAndMissing() throws Exception {
        SafepointSource without = new SafepointSource(target, new ScriptedSamples(), runtime -> Optional.empty());
        assertThatThrownBy(without::requireSupport)
                .isInstanceOfSatisfying(
                        Refused.class, e -> assertThat(e.reason()).isEqualTo(Refused.Reason.UNSUPPORTED_VM));
        without.enable();
        Ledger.Builder ledger = Ledger.builder("a script", 0);
        without.account(ledger);
        assertThat(ledger.build().alarms())
                .singleElement()
                .asString()
                .startsWith("the safepoints of r1 HotSpot ")
                .endsWith(" are missing: its record of them is not found");
        assertThat(ledger.build().notes()).isEmpty();
        source.requireSupport();
    }
}
