package mayfly.linux.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import mayfly.linux.LiveProcess;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.sys.Syscall;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The kernel's records of switches. The target is this process, in which a thread of the test waits. */
class PerfSwitchesTest {
    @BeforeAll
    static void needsPerf() {
        assumeTrue(Probe.perThread(0, false).works(), "perf_event_open is not permitted");
    }

    @Test
    void switchesOfAThreadAlternateAndHaveTheDurationOfItsWait() throws Exception {
        int tid = (int) Syscall.call(SystemCall.GETTID, 0);
        try (LiveProcess self = LiveProcess.open((int) ProcessHandle.current().pid());
                PerfCollector collector = PerfCollector.switches(self, PerfOptions.at(1))) {
            collector.enable();
            long before = System.nanoTime();
            assertThat(new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS)).isFalse(); // the wait to be recorded
            long after = System.nanoTime();
            collector.disable();
            TreeMap<Long, PerfRecords.Switch> own = new TreeMap<>();
            collector.drain(new PerfRecords() {
                @Override
                public void sample(PerfSample sample) {
                    throw new AssertionError("no samples are requested");
                }

                @Override
                public void switched(int thread, long time, Switch kind) {
                    if (thread == tid) {
                        own.put(time, kind);
                    }
                }
            });
            long waited = 0;
            long out = 0;
            for (var change : own.subMap(before, after).entrySet()) {
                boolean in = change.getValue() == PerfRecords.Switch.IN;
                assertThat(in).as("%s", own).isEqualTo(out != 0);
                waited += in ? change.getKey() - out : 0;
                out = in ? 0 : change.getKey();
            }
            assertThat(waited).as("%s", own).isBetween(49_000_000L, after - before);
        }
    }
}
