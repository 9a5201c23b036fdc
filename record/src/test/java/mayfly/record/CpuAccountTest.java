package mayfly.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import mayfly.process.CpuTime;
import mayfly.process.ProcessFacts;
import org.junit.jupiter.api.Test;

class CpuAccountTest {
    private final Deque<CpuTime> times = new ArrayDeque<>();
    /** Returns the scripted times in order, and fails when none is left, as /proc does for an ended process. */
    private final ProcessFacts process = (ProcessFacts) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {ProcessFacts.class}, (proxy, method, arguments) -> {
                assertThat(method.getName()).isEqualTo("cpuTime");
                if (times.isEmpty()) {
                    throw new IOException("no such process");
                }
                return times.remove();
            });

    private CpuAccount recorded(boolean withKernel) {
        CpuAccount account = CpuAccount.of(process, withKernel);
        account.start();
        account.sampleWhileAlive();
        account.end();
        return account;
    }

    @Test
    void recordingThatSeesTheKernelCountsItsTimeToo() {
        List<CpuTime> read = List.of(new CpuTime(10, 1), new CpuTime(20, 3), new CpuTime(50, 6));
        times.addAll(read);
        assertThat(recorded(true).nanos()).isEqualTo(45);
        times.addAll(read);
        assertThat(recorded(false).nanos()).isEqualTo(40);
    }

    @Test
    void lastTimeOfTheLivingTargetCountsIfItHasEnded() {
        times.addAll(List.of(new CpuTime(10, 0), new CpuTime(25, 0)));
        assertThat(recorded(true).nanos()).isEqualTo(15);
    }

    @Test
    void timeOfATargetThatEndedBeforeTheRecordingIsUnknown() {
        assertThat(recorded(true).nanos()).isEqualTo(-1);
    }
}
