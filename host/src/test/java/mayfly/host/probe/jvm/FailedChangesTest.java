package mayfly.host.probe.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.OptionalInt;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.probe.AddedProbes;
import mayfly.api.probe.ProbeRefusal;
import mayfly.api.probe.RefusedProbes;
import mayfly.wire.ProbeCall;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Changes of a class that fail after some of their steps, as with a full heap. */
class FailedChangesTest {
    private final ScriptedClass jvm = new ScriptedClass();

    private static void assertStatus(Status status, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ProfilerException.class, e -> assertThat(e.status()).isEqualTo(status));
    }

    @Test
    void probesAreAddedAndRemoved() throws Exception {
        assertThat(jvm.probes.isInUse()).isFalse();
        assertThat(jvm.probes.add(ScriptedClass.ALL).methods()).hasSize(2);
        assertThat(jvm.probes.isInUse()).isTrue();
        assertThat(jvm.probed()).containsExactlyInAnyOrder("first", "second");
        assertThat(jvm.targets).hasSize(4);
        assertThat(jvm.probes.remove(ScriptedClass.FIRST).methods()).isEqualTo(1);
        assertThat(jvm.probed()).containsExactly("second");
        assertThat(jvm.probes.removeAll().methods()).isEqualTo(1);
        assertThat(jvm.probed()).isEmpty();
        assertThat(jvm.targets).isEmpty();
        assertThat(jvm.watched).isZero();
        assertThat(jvm.probes.isInUse()).isFalse();
    }

    @Test
    void additionThatIsUndoneLeavesNothing() throws Exception {
        jvm.script(ProbeCall.CODE, 1, jvm::fail);
        assertStatus(Status.FAILED, () -> jvm.probes.add(ScriptedClass.FIRST));
        assertThat(jvm.probed()).isEmpty();
        assertThat(jvm.probes.list()).isEmpty();
        assertThat(jvm.targets).isEmpty();
    }

    @Test
    void additionThatIsNotUndoneIsListedAndRemovedLater() throws Exception {
        jvm.script(ProbeCall.CODE, 1, jvm::fail);
        jvm.script(ProbeCall.RETRANSFORM, 1, jvm::fail);
        assertStatus(Status.IRREVERSIBLE_INSTRUMENTATION, () -> jvm.probes.add(ScriptedClass.FIRST));
        assertThat(jvm.probed()).containsExactly("first");
        assertThat(jvm.probes.list()).hasSize(1);
        assertThat(jvm.targets).hasSize(2);
        jvm.script(ProbeCall.RETRANSFORM, 0, jvm::fail);
        assertStatus(Status.IRREVERSIBLE_INSTRUMENTATION, jvm.probes::removeAll);
        assertThat(jvm.probes.removeAll().methods()).isEqualTo(1);
        assertThat(jvm.probed()).isEmpty();
        assertThat(jvm.targets).isEmpty();
    }

    @Test
    void additionThatIsNotBegunIsAFailure() throws Exception {
        jvm.script(ProbeCall.WATCH, 0, jvm::fail);
        jvm.script(ProbeCall.RETRANSFORM, 0, () -> {
            throw new AssertionError("redefined");
        });
        assertStatus(Status.FAILED, () -> jvm.probes.add(ScriptedClass.FIRST));
        assertThat(jvm.probes.list()).isEmpty();
    }

    @Test
    void formerProbesStayIfThereIsNoMemoryForTheClassFileWithMore() throws Exception {
        jvm.probes.add(ScriptedClass.FIRST);
        jvm.script(ProbeCall.RETRANSFORM, 0, () -> jvm.hasMemory = false);
        jvm.script(ProbeCall.RETRANSFORM, 0, () -> jvm.hasMemory = true);
        assertStatus(Status.FAILED, () -> jvm.probes.add(ScriptedClass.SECOND));
        assertThat(jvm.probed()).containsExactly("first");
        assertThat(jvm.probes.list()).hasSize(1);
    }

    @Test
    void formerProbesStayIfTheConstantPoolHasNoRoomForMore() throws Exception {
        // The first probe adds 13 constants, and each other 4.
        ScriptedClass full = new ScriptedClass(65_535 - 15);
        assertThat(full.probes.add(ScriptedClass.FIRST).methods()).hasSize(1);
        AddedProbes more = full.probes.add(ScriptedClass.SECOND);
        assertThat(more.methods()).isEmpty();
        assertThat(more.refused())
                .containsExactly(
                        new RefusedProbes(ProbeRefusal.CONSTANT_POOL_FULL, 1, List.of("sample.Sample.second(I)I")));
        assertThat(full.probed()).containsExactly("first");
        assertThat(full.probes.list()).hasSize(1);
        assertThat(full.targets).hasSize(2);
        assertThat(full.probes.removeAll().methods()).isEqualTo(1);
        assertThat(full.probed()).isEmpty();
    }

    @Test
    void lossOfFormerProbesIsNoUndoneAddition() throws Exception {
        jvm.probes.add(ScriptedClass.FIRST);
        jvm.hasMemory = false;
        assertStatus(Status.IRREVERSIBLE_INSTRUMENTATION, () -> jvm.probes.add(ScriptedClass.SECOND));
        assertStatus(Status.IRREVERSIBLE_INSTRUMENTATION, () -> jvm.probes.remove(ScriptedClass.FIRST));
        assertThat(jvm.probed()).isEmpty();
        assertThat(jvm.probes.list()).isEmpty();
        assertThat(jvm.probes.removeAll().methods()).isZero();
        assertThat(jvm.targets).isEmpty();
    }

    @Test
    void removalOfOneOfTwoProbesKeepsBothIfThereIsNoMemory() throws Exception {
        jvm.probes.add(ScriptedClass.ALL);
        jvm.script(ProbeCall.RETRANSFORM, 0, () -> jvm.hasMemory = false);
        jvm.script(ProbeCall.RETRANSFORM, 0, () -> jvm.hasMemory = true);
        assertStatus(Status.IRREVERSIBLE_INSTRUMENTATION, () -> jvm.probes.remove(ScriptedClass.FIRST));
        assertThat(jvm.probed()).containsExactlyInAnyOrder("first", "second");
        assertThat(jvm.probes.list()).hasSize(2);
    }

    @Test
    void removalWithoutACountOfFramesSucceeds() throws Exception {
        jvm.probes.add(ScriptedClass.ALL);
        jvm.script(ProbeCall.FRAMES, 0, jvm::fail);
        assertThat(jvm.probes.removeAll().framesOfReplacedCode()).isEqualTo(OptionalInt.empty());
        assertThat(jvm.probed()).isEmpty();
        assertThat(jvm.probes.list()).isEmpty();
    }
}
