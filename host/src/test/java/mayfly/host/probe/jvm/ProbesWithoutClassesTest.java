package mayfly.host.probe.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.wire.ProbeCall;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Requests that a JVM cannot execute. */
class ProbesWithoutClassesTest {

    @Test
    void jdkWithoutAPlaceForTargetsHasNoProbes() {
        Probes probes = new Probes(new Profiler() {}, new ScriptedJvm());
        assertThatThrownBy(() -> probes.add("a.B.c"))
                .isInstanceOfSatisfying(
                        ProfilerException.class,
                        e -> assertThat(e.status()).isEqualTo(Status.UNSUPPORTED_FOR_ATTACHING_PROFILER));
        assertThat(probes.list()).isEmpty();
    }

    @Test
    void malformedPatternIsAFailureWithAReason() {
        Probes probes = new Probes(new Profiler() {}, new ScriptedJvm());
        assertThatThrownBy(() -> probes.setReporting("nothing", true))
                .isInstanceOfSatisfying(
                        ProfilerException.class, e -> assertThat(e.status()).isEqualTo(Status.FAILED))
                .hasMessageContaining("pattern");
    }

    @Test
    void detachWithoutProbesNeedsNoJvmti() {
        Probes probes = new Probes(new Profiler() {}, new ScriptedJvm() {
            @Override
            public @Nullable Object call(int call, @Nullable Object argument) {
                throw new AssertionError("call " + call);
            }
        });
        assertThat(probes.removeAll().methods()).isZero();
    }

    @Test
    void framesThatCannotBeCountedAreAFailure() {
        Probes probes = new Probes(new Profiler() {}, new ScriptedJvm() {
            @Override
            public @Nullable Object call(int call, @Nullable Object argument) {
                return call == ProbeCall.FRAMES ? new long[] {-1} : null;
            }
        });
        assertThatThrownBy(probes::countFrames).hasMessageContaining("threads");
    }
}
