package mayfly.record.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refused;
import mayfly.process.MemoryFault;
import mayfly.profile.Ledger;
import mayfly.runtime.thread.AllocationCounters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The source with scripted counters and scripted samples. Uses this process as the target. */
class AllocationSourceTest {
    private static final int PID = (int) ProcessHandle.current().pid();
    /** Ids that no thread of this machine has: they are larger than pid_max. */
    private static final int WORKER = 1 << 24;

    private static final int IDLE = WORKER + 1;
    private static final long THREAD = 0x7000;
    /** A time before every reading: a sample with it comes too early for any bytes. */
    private static final int EARLY = 1;

    private final ScriptedSamples samples = new ScriptedSamples();
    private final SampleLines lines = new SampleLines();
    private final Map<Integer, Long> counters = new TreeMap<>();
    private boolean ending;
    private InspectedProcess target;
    private AllocationSource source;

    @BeforeEach
    void open() throws Exception {
        target = InspectedProcess.open(PID);
        source = new AllocationSource(
                target, samples, AllocationSource.Division.BY_TIME, false, runtime -> Optional.of(this::read));
        counters.putAll(Map.of(WORKER, 1000L, IDLE, 50L));
        source.enable();
    }

    @AfterEach
    void close() {
        target.close();
    }

    private void read(AllocationCounters.Each each) throws MemoryFault {
        if (ending) {
            throw new MemoryFault(0, 8);
        }
        counters.forEach((tid, bytes) -> each.counter(tid, THREAD + tid, bytes));
    }

    private void drain() throws Exception {
        source.begin();
        source.drain(lines);
    }

    private void end() throws Exception {
        source.disable();
        drain();
    }

    private Ledger ledger() {
        Ledger.Builder ledger = Ledger.builder("a script", 0);
        source.account(ledger);
        return ledger.build();
    }

    @Test
    void sampleHasTheBytesOfItsThreadAndASampleWithoutBytesIsNotWritten() throws Exception {
        counters.put(WORKER, 1640L);
        samples.addNow(WORKER);
        samples.addNow(IDLE);
        drain();
        end();
        assertThat(lines.written)
                .singleElement()
                .asString()
                .startsWith(WORKER + " ")
                .endsWith(" 640: leaf of " + WORKER);
        assertThat(ledger().notes())
                .anyMatch(note -> note.startsWith("allocated: 640 bytes; without a later sample of the thread: 0"));
    }

    @Test
    void sampleBeforeTheBytesHasNone() throws Exception {
        counters.put(WORKER, 1640L);
        samples.add(WORKER, EARLY);
        drain();
        end();
        assertThat(lines.written)
                .singleElement()
                .asString()
                .startsWith(WORKER + " ")
                .endsWith(" 640: [not sampled]");
        assertThat(ledger().notes())
                .anyMatch(note -> note.startsWith("allocated: 640 bytes; without a later sample of the thread: 640"));
    }

    /** The runtimes of a process are read after its samples have begun. */
    @Test
    void bytesBeforeTheRecordingAreNotCountedIfTheRuntimeIsFoundDuringIt() throws Exception {
        try (InspectedProcess unread = InspectedProcess.openUnread(PID)) {
            AllocationSource early = new AllocationSource(
                    unread, samples, AllocationSource.Division.BY_TIME, false, runtime -> Optional.of(this::read));
            early.enable();
            unread.findRuntimes();
            early.begin();
            early.drain(lines);
            early.disable();
            early.drain(lines);
            assertThat(lines.written).isEmpty();
        }
    }

    @Test
    void bytesOfAProgramThatMayflyStartsAreCountedFromItsStart() throws Exception {
        AllocationSource ofSpawned = new AllocationSource(
                target, samples, AllocationSource.Division.BY_TIME, true, runtime -> Optional.of(this::read));
        ofSpawned.enable();
        ofSpawned.disable();
        ofSpawned.drain(lines);
        assertThat(lines.written).hasSize(2).anyMatch(line -> line.endsWith(" 1000: [not sampled]"));
    }

    @Test
    void bytesAfterTheRecordingAreNotCounted() throws Exception {
        source.disable();
        counters.put(WORKER, 1640L);
        drain();
        assertThat(lines.written).isEmpty();
    }

    @Test
    void readingsThatFailLeaveTheBytesOfTheLastOne() throws Exception {
        counters.put(WORKER, 1640L);
        source.await(20);
        ending = true;
        end();
        assertThat(lines.written).singleElement().asString().endsWith(" 640: [not sampled]");
    }

    @Test
    void readingThatFailsIsCountedAndItsBytesAreThoseOfTheNext() throws Exception {
        ending = true;
        source.await(20);
        ending = false;
        counters.put(WORKER, 1640L);
        end();
        assertThat(lines.written).singleElement().asString().endsWith(" 640: [not sampled]");
        assertThat(ledger().notes())
                .anyMatch(note -> note.startsWith("readings of the counters of allocation that failed, "));
    }

    @Test
    void bytesOfAFormerProgramAreForgotten() throws Exception {
        counters.put(WORKER, 1640L);
        source.await(20);
        source.discard();
        end();
        assertThat(lines.written).isEmpty();
    }

    @Test
    void counterThatCannotBeTrueIsAnAlarm() throws Exception {
        counters.put(WORKER, -1L);
        end();
        assertThat(ledger().alarms())
                .singleElement()
                .asString()
                .endsWith(" values of counters of allocation were implausible and ignored");
    }

    @Test
    void runtimeWithoutCountersIsRefusedAndMissing() throws Exception {
        AllocationSource without = new AllocationSource(
                target, samples, AllocationSource.Division.BY_TIME, false, runtime -> Optional.empty());
        assertThatThrownBy(without::requireSupport)
                .isInstanceOfSatisfying(
                        Refused.class, e -> assertThat(e.reason()).isEqualTo(Refused.Reason.UNSUPPORTED_VM));
        without.enable();
        Ledger.Builder ledger = Ledger.builder("a script", 0);
        without.account(ledger);
        assertThat(ledger.build().alarms())
                .singleElement()
                .asString()
                .startsWith("the allocation of r1 HotSpot ")
                .endsWith(" is missing: it does not describe its counters");
        source.requireSupport();
    }
}
