package mayfly.record.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refused;
import mayfly.process.MemoryFault;
import mayfly.profile.Ledger;
import mayfly.runtime.collection.Collection;
import mayfly.runtime.collection.Collection.Kind;
import mayfly.runtime.collection.Collections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The source with scripted collections. Uses this process as the target. */
class GcSourceTest {
    private static final int PID = (int) ProcessHandle.current().pid();

    private Collection latest = young(0, 0, 0);
    private boolean ending;
    private final SampleLines lines = new SampleLines();
    private final List<String> written = lines.written;
    private InspectedProcess target;
    private GcSource source;

    @BeforeEach
    void open() throws Exception {
        target = InspectedProcess.open(PID);
        source = new GcSource(target, false, runtime -> Optional.of(new Scripted()));
        source.enable();
    }

    @AfterEach
    void close() {
        target.close();
    }

    private final class Scripted implements Collections {
        @Override
        public Optional<List<Collection>> latest() throws MemoryFault {
            if (ending) {
                throw new MemoryFault(0, 8);
            }
            return Optional.of(List.of(latest));
        }

        @Override
        public long clockStart() {
            return 1000;
        }

        @Override
        public int executor() {
            return 0;
        }
    }

    private static Collection young(long number, long begun, long ended) {
        return new Collection(
                "G1 young collection pauses", Kind.YOUNG, number, 300 * number, begun, ended, "G1 Evacuation Pause");
    }

    private void await() {
        assertThat(source.await(2)).isTrue();
    }

    private Ledger ledger() {
        Ledger.Builder ledger = Ledger.builder("a script", 0);
        source.account(ledger);
        return ledger.build();
    }

    @Test
    void pauseIsASampleOfTheProcessWithItsCollectorAndItsCause() throws Exception {
        latest = young(1, 100, 0);
        await();
        source.drain(lines);
        assertThat(written).as("it has not ended").isEmpty();
        latest = young(1, 100, 350);
        await();
        source.drain(lines);
        source.drain(lines);
        assertThat(written)
                .containsExactly(
                        PID + " 1350 250 young: [G1 Evacuation Pause] [G1 young collection pauses] [collection]");
        source.disable();
        assertThat(ledger().notes())
                .contains("collection pauses: 1")
                .anyMatch(note -> note.endsWith(" at most (G1 young collection pauses, G1 Evacuation Pause)"));
    }

    @Test
    void pauseWithoutCauseHasTheFramesOfItsCollector() throws Exception {
        latest = new Collection("G1 concurrent cycle pauses", Kind.CONCURRENT, 1, 250, 100, 350, "");
        await();
        source.drain(lines);
        assertThat(written).containsExactly(PID + " 1350 250 concurrent: [G1 concurrent cycle pauses] [collection]");
    }

    @Test
    void pauseThatHasNotEndedIsWrittenAtTheEnd() throws Exception {
        latest = young(1, 100, 0);
        await();
        source.disable();
        source.drain(lines);
        assertThat(written).singleElement().asString().endsWith(" [G1 young collection pauses] [collection]");
        assertThat(ledger().notes())
                .contains("collection pauses: 1", "collection pauses that had not ended when the recording ended: 1");
        assertThat(source.lost()).isZero();
    }

    @Test
    void pausesThatNoReadingSawAreCounted() throws Exception {
        latest = young(3, 100, 350);
        await();
        source.drain(lines);
        assertThat(written).hasSize(1);
        assertThat(ledger().notes())
                .contains("collection pauses: 3")
                .anyMatch(note -> note.startsWith("collection pauses with unknown times: 2, 0.001 ms in total;"));
    }

    @Test
    void pausesOfAFormerProgramAreForgotten() throws Exception {
        latest = young(1, 100, 350);
        await();
        source.discard();
        await();
        source.drain(lines);
        assertThat(written).isEmpty();
    }

    @Test
    void pausesOfAProgramThatIsEndingAreThoseReadBefore() throws Exception {
        latest = young(1, 100, 350);
        await();
        ending = true;
        await();
        source.disable();
        source.drain(lines);
        assertThat(written).hasSize(1);
    }

    @Test
    void pausesOfAStartedProgramBeforeTheFirstReadingCount() throws Exception {
        GcSource ofStarted = new GcSource(target, true, runtime -> Optional.of(new Scripted()));
        latest = young(2, 100, 350);
        ofStarted.enable();
        ofStarted.drain(lines);
        assertThat(written).hasSize(1);
    }

    @Test
    void pausesCanWaitForADrain() {
        latest = young(1, 100, 350);
        assertThat(source.await(0)).isTrue();
        assertThat(source.isDue()).isFalse();
        assertThat(source.hasRoom()).isTrue();
        assertThat(source.holdsNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(source.intervalMillis()).isEqualTo(1);
    }

    @Test
    void runtimeWithoutCountersIsRefusedAndMissing() throws Exception {
        GcSource without = new GcSource(target, false, runtime -> Optional.empty());
        assertThatThrownBy(without::requireSupport).isInstanceOfSatisfying(Refused.class, e -> {
            assertThat(e.reason()).isEqualTo(Refused.Reason.UNSUPPORTED_VM);
            assertThat(e.advice()).contains("-XX:+UsePerfData");
        });
        without.enable();
        Ledger.Builder ledger = Ledger.builder("a script", 0);
        without.account(ledger);
        assertThat(ledger.build().alarms())
                .singleElement()
                .asString()
                .startsWith("the collections of r1 HotSpot ")
                .endsWith(" are missing: it has no counters of them");
        assertThat(ledger.build().notes()).isEmpty();
        source.requireSupport();
    }
}
