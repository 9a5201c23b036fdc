package mayfly.host.probe.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import mayfly.api.probe.ProbeRefusal;
import mayfly.api.probe.RefusedProbes;
import org.junit.jupiter.api.Test;

/** Methods without probes, counted by reason, with a bounded number of names. */
class RefusalsTest {
    @Test
    void methodsAreCountedByReasonAndSomeAreNamed() {
        Refusals refusals = new Refusals();
        for (int i = 0; i < 1000; i++) {
            refusals.add(ProbeRefusal.NATIVE, String.class, "m" + i + "()V");
        }
        refusals.addAll(ProbeRefusal.ABSTRACT, List.class, List.of("get(I)Ljava/lang/Object;"));
        List<RefusedProbes> all = refusals.list();
        assertThat(all).hasSize(2);
        assertThat(all.get(0))
                .isEqualTo(new RefusedProbes(
                        ProbeRefusal.ABSTRACT, 1, List.of("java.util.List.get(I)Ljava/lang/Object;")));
        assertThat(all.get(1).count()).isEqualTo(1000);
        assertThat(all.get(1).examples()).hasSize(8).startsWith("java.lang.String.m0()V");
    }
}
