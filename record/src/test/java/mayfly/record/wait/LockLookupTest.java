package mayfly.record.wait;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.record.wait.ContendedLock.Kind;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadInfo.Mounted;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.Unread;
import org.junit.jupiter.api.Test;

/** The lookup with a runtime that answers from a script. */
class LockLookupTest {
    private static final long SECOND = 1_000_000_000;
    private static final ManagedThread WAITS = new ManagedThread(11, 0x1000);
    private static final ManagedThread OWNS = new ManagedThread(12, 0x2000);
    private static final LockWait ENTER = new LockWait(LockWait.Kind.ENTER, "Orders", 0x8000, 0x9000, null);
    private static final LockWait ACQUIRE = new LockWait(LockWait.Kind.ACQUIRE, "Sync", 0x8000, 0, null);

    private final Scripted runtime = new Scripted();
    private long now;
    private long cpu;
    private final LockLookup lookup = new LockLookup(() -> now, () -> cpu);

    private final class Scripted implements ManagedRuntime {
        private LockWait wait = ENTER;
        private LockOwner owner = new LockOwner.OfThread(OWNS);
        private ManagedThreadInfo info = named("worker");
        private long searchNanos;
        private int infos;
        private int searches;

        static ManagedThreadInfo named(String name) {
            return new ManagedThreadInfo(name, ManagedThreadState.IN_MANAGED_CODE, false, 1);
        }

        @Override
        public RuntimeId id() {
            return new RuntimeId(1);
        }

        @Override
        public String kind() {
            return "Scripted";
        }

        @Override
        public String version() {
            return "1.0";
        }

        @Override
        public long libraryStart() {
            return 0x10000;
        }

        @Override
        public boolean isLibrary(String path, long start) {
            return false;
        }

        @Override
        public List<ManagedThread> threads() {
            return List.of(WAITS, OWNS);
        }

        @Override
        public ManagedThreadInfo info(ManagedThread thread) {
            infos++;
            return info;
        }

        @Override
        public LockWait lockWait(ManagedThread thread) {
            return wait;
        }

        @Override
        public Map<ManagedThread, LockOwner> lockOwners(Map<ManagedThread, LockWait> waits) {
            cpu += searchNanos;
            searches++;
            return Map.of(WAITS, owner);
        }
    }

    private LockLookup.Reading reading(ManagedThreadState state) {
        return lookup.read(runtime, WAITS, state);
    }

    private ContendedLock read(ManagedThreadState state) {
        assertThat(reading(state)).isInstanceOf(LockLookup.Reading.Waits.class);
        return lookup.locks(List.of((LockLookup.Reading.Waits) reading(state))).getFirst();
    }

    private ContendedLock blocked() {
        return read(ManagedThreadState.BLOCKED);
    }

    @Test
    void blockedThreadWaitsForAMonitorWithItsOwner() {
        assertThat(blocked())
                .isEqualTo(new ContendedLock(runtime.id(), Kind.MONITOR, "Orders", 0x9000, "owned by worker", now));
        assertThat(blocked().frames())
                .extracting(Frame::label)
                .containsExactly("[owned by worker]", "[monitor Orders]");
    }

    @Test
    void parkedThreadWaitsForASynchronizerThatItAcquires() {
        runtime.wait = ACQUIRE;
        for (ManagedThreadState state : List.of(ManagedThreadState.PARKED, ManagedThreadState.TIMED_PARKED)) {
            assertThat(read(state))
                    .isEqualTo(
                            new ContendedLock(runtime.id(), Kind.SYNCHRONIZER, "Sync", 0x8000, "owned by worker", now));
        }
    }

    @Test
    void threadThatWaitsForAnythingElseWaitsForNoLock() {
        assertThat(reading(ManagedThreadState.SLEEPING)).isInstanceOf(LockLookup.Reading.NoLock.class);
        assertThat(reading(ManagedThreadState.IN_NATIVE)).isInstanceOf(LockLookup.Reading.NoLock.class);
        for (LockWait.Kind kind : List.of(LockWait.Kind.NONE, LockWait.Kind.NOTIFICATION, LockWait.Kind.PARK)) {
            runtime.wait = new LockWait(kind, "Queue", 0x8000, 0, null);
            assertThat(reading(ManagedThreadState.PARKED)).as("%s", kind).isInstanceOf(LockLookup.Reading.NoLock.class);
        }
    }

    @Test
    void lockWithoutAnOwnerHasNoFrameForIt() {
        runtime.owner = LockOwner.NONE;
        assertThat(blocked().frames()).extracting(Frame::label).containsExactly("[monitor Orders]");
        runtime.owner = LockOwner.UNKNOWN;
        assertThat(blocked().frames()).extracting(Frame::label).contains("[owner unknown]");
        runtime.owner = new LockOwner.OfThread(WAITS);
        assertThat(blocked().owner()).isEqualTo("owner unknown");
        runtime.owner = new LockOwner.OfUnmounted(99);
        assertThat(blocked().owner()).isEqualTo("owned by a virtual thread");
    }

    /** A carrier can have another virtual thread a moment later. */
    @Test
    void ownerThatCarriesAVirtualThreadHasNoName() {
        runtime.info = new ManagedThreadInfo(
                "carrier", ManagedThreadState.IN_MANAGED_CODE, true, 1, new Mounted("order-7", 30), null);
        assertThat(blocked().owner()).isEqualTo("owned by a virtual thread");
        runtime.info = Scripted.named("carrier");
        assertThat(blocked().owner()).isEqualTo("owned by carrier");
    }

    @Test
    void threadWithoutANameIsNoName() {
        runtime.info = Scripted.named("");
        assertThat(blocked().owner()).isEqualTo("owned by a thread without a name");
    }

    @Test
    void textsAreCut() {
        runtime.info = Scripted.named("n".repeat(5_000));
        runtime.wait = new LockWait(LockWait.Kind.ENTER, "T".repeat(5_000), 0x8000, 0x9000, null);
        assertThat(blocked().owner()).isEqualTo("owned by " + "n".repeat(200) + "…");
        assertThat(blocked().type()).isEqualTo("T".repeat(200) + "…");
    }

    @Test
    void nameOfAnOwnerIsReadAgainAfterASecond() {
        blocked();
        runtime.info = Scripted.named("renamed");
        assertThat(blocked().owner()).isEqualTo("owned by worker");
        assertThat(runtime.infos).isEqualTo(1);
        now += SECOND + 1;
        assertThat(blocked().owner()).isEqualTo("owned by renamed");
    }

    @Test
    void failedAttemptIsCounted() {
        runtime.wait = LockWait.unread(Unread.MOVING);
        assertThat(reading(ManagedThreadState.BLOCKED)).isInstanceOf(LockLookup.Reading.Failed.class);
        assertThat(reading(ManagedThreadState.PARKED)).isInstanceOf(LockLookup.Reading.Failed.class);
        assertThat(reading(ManagedThreadState.UNKNOWN)).isInstanceOf(LockLookup.Reading.Failed.class);
        assertThat(lookup.unread()).containsOnly(Map.entry(Unread.MOVING, 3L));
    }

    @Test
    void ownersOfSeveralLocksAreReadInOneSearch() {
        LockLookup.Reading.Waits one = (LockLookup.Reading.Waits) reading(ManagedThreadState.BLOCKED);
        runtime.wait = ACQUIRE;
        LockLookup.Reading.Waits other =
                (LockLookup.Reading.Waits) lookup.read(runtime, OWNS, ManagedThreadState.PARKED);
        assertThat(lookup.locks(List.of(one, other)))
                .extracting(ContendedLock::owner)
                .containsExactly("owned by worker", "owner unknown");
        assertThat(runtime.searches).isEqualTo(1);
        assertThat(lookup.locks(List.of())).isEmpty();
    }

    @Test
    void ownersAreNotReadWhenTheSearchesHaveUsedTheirShareOfTime() {
        runtime.searchNanos = SECOND / 4;
        assertThat(blocked().owner()).isEqualTo("owned by worker");
        assertThat(blocked().owner()).isEqualTo("owner not read");
        assertThat(lookup.notSearched()).isEqualTo(1);
        now += SECOND;
        assertThat(blocked().owner()).isEqualTo("owned by worker");
    }

    @Test
    void namesBeyondTheLimitAreNotDistinguished() {
        for (int i = 0; i < 1_000; i++) {
            runtime.info = Scripted.named("worker-" + i);
            assertThat(blocked().owner()).isEqualTo("owned by worker-" + i);
            now += SECOND + 1;
        }
        runtime.info = Scripted.named("one more");
        assertThat(blocked().owner()).isEqualTo("owned by another thread");
        now += SECOND + 1;
        runtime.info = Scripted.named("worker-3");
        assertThat(blocked().owner()).isEqualTo("owned by worker-3");
    }
}
