package mayfly.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import mayfly.api.ClassId;
import mayfly.api.Event;
import mayfly.api.HiddenFrames;
import mayfly.api.ModuleId;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.code.LoaderId;
import mayfly.api.code.MethodId;
import mayfly.api.thread.Locks;
import mayfly.wire.message.AttachSize;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The calls of a profiler that do not need the library. */
class HostedProfilerInfoTest {
    private final Life life = new Life();
    private final IdsTest.Listed ids = new IdsTest.Listed();
    private final Profiler profiler = new Profiler() {};
    private final Host host =
            new Host(profiler, 0, "loader", name -> null, null, ByteBuffer.allocate(AttachSize.RUNTIME));
    private final HostedProfilerInfo info =
            new HostedProfilerInfo(host, life, new Events(profiler, life, 0, ids), 4096);

    @Test
    void onlyTheRuntimeIsDescribedOnceADetachHasBegun() {
        info.prepare("a VM");
        life.to(Life.State.INITIALIZING);
        life.to(Life.State.ACTIVE);
        ids.live.add(Thread.currentThread());
        var thread = info.currentThread();
        life.to(Life.State.DETACHING);
        assertThat(info.runtimeInformation())
                .matches(is -> is.runtime() == 1 && is.vm().equals("a VM"));
        List<ThrowingCallable> calls = List.of(
                info::eventMask,
                () -> info.setEventMask(Set.of()),
                () -> info.setAllocationSamplingInterval(1 << 20),
                () -> info.setPollingInterval(Duration.ofMillis(10)),
                info::notReported,
                info::enumerateThreads,
                info::enumerateClasses,
                info::enumerateModules,
                info::enumerateCompiledMethods,
                info::currentThread,
                () -> info.describe(thread),
                () -> info.describe(new ClassId(1, 1)),
                () -> info.describe(new ModuleId(1, 1)),
                () -> info.describe(new LoaderId(1, 1)),
                () -> info.describe(new MethodId(new ClassId(1, 1), 1)),
                () -> info.structure(new ClassId(1, 1)),
                () -> info.methods(new ClassId(1, 1)),
                () -> info.fields(new ClassId(1, 1)),
                info::forceGarbageCollection,
                info::classHistogram,
                () -> info.walkAllThreads(HiddenFrames.OMIT),
                () -> info.walkAllThreads(HiddenFrames.OMIT, Locks.SHOW),
                () -> info.every(Duration.ZERO),
                () -> info.pathToLoader(new ClassId(1, 1)),
                () -> info.emit(new byte[1]),
                () -> info.doStackSnapshot((frame, data) -> true, ""),
                () -> info.doStackSnapshot(thread, HiddenFrames.OMIT, (frame, data) -> true, ""));
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call)
                    .isInstanceOfSatisfying(
                            ProfilerException.class, e -> assertThat(e.status()).isEqualTo(Status.PROFILER_DETACHING));
        }
    }

    @Test
    void anIntervalOutOfRangeIsRefused() {
        life.to(Life.State.INITIALIZING);
        for (Duration each : List.of(
                Duration.ofNanos(-1),
                Duration.ofNanos(1),
                Duration.ofNanos(999_999),
                Duration.ofHours(1).plusNanos(1),
                Duration.ofSeconds(Long.MAX_VALUE),
                Duration.ofSeconds(Long.MIN_VALUE))) {
            assertThatThrownBy(() -> info.every(each))
                    .isInstanceOfSatisfying(
                            ProfilerException.class, e -> assertThat(e.status()).isEqualTo(Status.FAILED));
        }
    }

    @Test
    void aPollingIntervalOutOfRangeIsRefusedAndAnotherIsKeptForASubscription() {
        life.to(Life.State.INITIALIZING);
        for (Duration each : List.of(
                Duration.ofNanos(-1),
                Duration.ZERO,
                Duration.ofNanos(999_999),
                Duration.ofSeconds(10).plusNanos(1),
                Duration.ofSeconds(Long.MAX_VALUE),
                Duration.ofSeconds(Long.MIN_VALUE))) {
            assertThatThrownBy(() -> info.setPollingInterval(each))
                    .isInstanceOfSatisfying(
                            ProfilerException.class, e -> assertThat(e.status()).isEqualTo(Status.FAILED));
        }
        info.setPollingInterval(Duration.ofMillis(1));
        info.setPollingInterval(Duration.ofSeconds(10));
    }

    @Test
    void hostThreadIsNotEnumerated() {
        life.to(Life.State.INITIALIZING);
        life.to(Life.State.ACTIVE);
        Thread other = new Thread(() -> {});
        ids.live.addAll(List.of(Thread.currentThread(), other));
        assertThat(info.enumerateThreads().items()).containsExactly(ids.of(other));
        assertThat(info.describe(info.currentThread()).name())
                .isEqualTo(Thread.currentThread().getName());
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void changeOfTheMaskWaitsForAChangeOfProbesWithoutTheLockOfTheEvents() throws Exception {
        Events events = new Events(profiler, life, Events.bit(Event.METHOD_PROBES), ids);
        HostedProfilerInfo probing = new HostedProfilerInfo(host, life, events, 4096);
        life.to(Life.State.INITIALIZING);
        Object probes = Objects.requireNonNull(events.probes());
        Thread setter = new Thread(() -> probing.setEventMask(Set.of()));
        synchronized (probes) {
            setter.start();
            while (setter.getState() != Thread.State.BLOCKED) {
                assertThat(setter.isAlive()).isTrue();
                Thread.onSpinWait();
            }
            // As the callbacks of a change of probes do.
            synchronized (events) {
                assertThat(events.mask()).isEmpty();
            }
        }
        setter.join();
    }

    @Test
    void profilerThatFailsAndCannotBeDetachedIsSaidToStay() {
        ProfilerException stays = Host.stays(
                new IllegalStateException("broken"),
                new ProfilerException(Status.IRREVERSIBLE_INSTRUMENTATION, "a probe is left"));
        assertThat(stays.status()).isEqualTo(Status.IRREVERSIBLE_INSTRUMENTATION);
        assertThat(stays)
                .hasMessageContaining("stays attached: a probe is left")
                .hasMessageContaining("broken")
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThat(stays.getSuppressed()).hasSize(1);
    }
}
