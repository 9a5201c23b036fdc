package mayfly.host.probe.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.probe.ProbeRefusal;
import mayfly.api.probe.RefusedProbes;
import mayfly.wire.ProbeCall;
import org.junit.jupiter.api.Test;

/** Redefinitions by another agent that take probes out. */
class ReplacedProbesTest {
    private final ScriptedClass jvm = new ScriptedClass();

    private void replace(boolean byAgent) {
        jvm.agentReplaces = byAgent;
        jvm.redefine(false);
    }

    @Test
    void probeThatAnAgentTakesOutIsNotListedUntilItIsBack() {
        jvm.probes.add(ScriptedClass.ALL);
        replace(true);
        assertThat(jvm.probes.list()).isEmpty();
        replace(false);
        assertThat(jvm.probes.list()).hasSize(2);
    }

    @Test
    void probeThatNoLongerFitsIntoTheClassIsNotListed() {
        jvm.probes.add(ScriptedClass.ALL);
        jvm.original = ScriptedClass.classFile(65_530); // of 65,535
        jvm.redefine(false);
        assertThat(jvm.probes.list()).isEmpty();
        assertThat(jvm.probes.removeAll().methods()).isZero();
        assertThat(jvm.targets).isEmpty();
    }

    @Test
    void onlyProbesInPlaceCountAsRemoved() throws Exception {
        jvm.probes.add(ScriptedClass.ALL);
        replace(true);
        assertThat(jvm.probes.remove(ScriptedClass.FIRST).methods()).isZero();
        replace(false);
        assertThat(jvm.probed()).containsExactly("second");
        assertThat(jvm.probes.removeAll().methods()).isEqualTo(1);
        assertThat(jvm.probed()).isEmpty();
        assertThat(jvm.targets).isEmpty();
        assertThat(jvm.watched).isZero();
    }

    @Test
    void replacedProbeIsRefusedWithThatReason() {
        jvm.probes.add(ScriptedClass.FIRST);
        replace(true);
        assertThat(jvm.probes.add(ScriptedClass.FIRST).refused())
                .containsExactly(
                        new RefusedProbes(ProbeRefusal.REPLACED_BY_AGENT, 1, List.of("sample.Sample.first(I)I")));
        replace(false);
        assertThat(jvm.probes.add(ScriptedClass.FIRST).refused())
                .containsExactly(new RefusedProbes(ProbeRefusal.ALREADY_PROBED, 1, List.of("sample.Sample.first(I)I")));
    }

    @Test
    void codeThatCannotBeReadIsAFailureOfTheList() {
        jvm.probes.add(ScriptedClass.ALL);
        jvm.script(ProbeCall.CODE, 0, jvm::fail);
        assertThatThrownBy(jvm.probes::list)
                .isInstanceOfSatisfying(
                        ProfilerException.class, e -> assertThat(e.status()).isEqualTo(Status.FAILED));
        assertThat(jvm.probes.list()).hasSize(2);
    }

    @Test
    void probesStayIfTheirCodeCannotBeReadBeforeTheRemoval() throws Exception {
        jvm.probes.add(ScriptedClass.ALL);
        jvm.script(ProbeCall.CODE, 0, jvm::fail);
        assertThatThrownBy(jvm.probes::removeAll)
                .isInstanceOfSatisfying(
                        ProfilerException.class,
                        e -> assertThat(e.status()).isEqualTo(Status.IRREVERSIBLE_INSTRUMENTATION));
        assertThat(jvm.probed()).hasSize(2);
        assertThat(jvm.targets).hasSize(4);
    }
}
