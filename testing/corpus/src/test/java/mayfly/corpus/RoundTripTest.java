package mayfly.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import mayfly.arch.x86.X86_64;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.linux.LiveProcess;
import mayfly.linux.trace.ThreadSnapshot;
import mayfly.linux.trace.ThreadStopper;
import mayfly.process.TargetThread;
import mayfly.process.replay.ProcessSnapshot;
import mayfly.process.replay.RecordedProcess;
import mayfly.process.replay.SnapshotFormat;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A walk of a live JVM has the same result after it is recorded, written, read and replayed. */
@Tag("jvm")
@Tag("privileged")
class RoundTripTest {
    private static final int STACK_BYTES = 512 << 10;

    static List<Jdk> jdks() {
        return Jdk.oneOfEach();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void recordedThreadsReplayToTheSameFrames(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start();
                LiveProcess process = LiveProcess.open((int) jvm.pid());
                ThreadStopper stopper = new ThreadStopper(process)) {
            WalkRecorder recorder = new WalkRecorder(process);
            ThreadSnapshot snapshot = new ThreadSnapshot(STACK_BYTES);
            List<List<String>> seen = new ArrayList<>();
            for (TargetThread thread : process.threads()) {
                ThreadStopper.Outcome copied = stopper.stopAndCopy(thread.tid(), STACK_BYTES, snapshot);
                Assumptions.assumeTrue(copied != ThreadStopper.Outcome.NOT_PERMITTED, "ptrace is not permitted here");
                if (copied != ThreadStopper.Outcome.COPIED) {
                    continue;
                }
                Sample at = Sample.of(thread.tid(), snapshot);
                WalkRecorder.Recorded recorded = recorder.record(thread, at);
                recorder.newEpoch();
                assertThat(recorded.walked()).isEqualTo(recorder.walk(at));
                ProcessSnapshot base = ProcessSnapshot.common(List.of(recorded.snapshot()));
                RecordedProcess read = RecordedProcess.read(
                        X86_64.ARCHITECTURE,
                        SnapshotFormat.write(base),
                        SnapshotFormat.write(recorded.snapshot().over(base)));
                assertThat(Replay.of(read)).isEqualTo(recorded.walked());
                seen.add(recorded.walked().lines(read.snapshot()));
            }
            assertThat(seen)
                    .anySatisfy(lines -> assertThat(lines)
                            .contains("outcome complete")
                            .anyMatch(line -> line.contains("mayfly.targets.Idle.main")));
        }
    }
}
