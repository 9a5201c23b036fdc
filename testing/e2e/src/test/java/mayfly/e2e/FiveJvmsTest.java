package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.audit.Audit;
import mayfly.audit.AuditComparison;
import mayfly.audit.Verdict;
import mayfly.kit.Deadline;
import mayfly.kit.Jvm;
import mayfly.profile.RuntimeId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Five JVMs of two JDKs in one process. */
@Tag("deep")
class FiveJvmsTest {
    private static final int JVMS = 5;
    private static final String EVENTS = "THREADS CLASS_LOADS MODULE_LOADS GARBAGE_COLLECTIONS COMPILED_METHODS";

    @TempDir
    private Path folder;

    @Test
    void profilersOfFiveJvmsAreAttachedAtOnceAndDetachedInAnyOrder() throws Exception {
        JvmGroup.use(JVMS, this::attachAndDetach);
    }

    private void attachAndDetach(Jvm jvm) throws Exception {
        Random random = new Random(5);
        Path jar = ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS);
        int pid = Math.toIntExact(jvm.pid());
        Audit before = Audit.of(pid);
        for (int round = 0; round < Scale.count(2, 200); round++) {
            List<Attached> profilers = new ArrayList<>();
            for (int i = 1; i <= JVMS; i++) {
                profilers.add(Attached.by(new AttachRequest(
                                pid,
                                jar,
                                Optional.empty(),
                                Optional.of(EVENTS.getBytes()),
                                Attached.LIMIT,
                                Acceptance.LASTING_COST)
                        .on(Optional.of(new RuntimeId.Choice("r" + i)))));
            }
            for (int i = 0; i < JVMS; i++) {
                String own = i == JVMS - 1 ? "ThreadAndClassChurn" : "SecondJvmLoad";
                String others = i == JVMS - 1 ? "SecondJvmLoad" : "ThreadAndClassChurn";
                assertThat(profilers.get(i).ask("classes").lines())
                        .as("round %d, JVM %d", round, i + 1)
                        .contains("mayfly.targets." + own)
                        .doesNotContain("mayfly.targets." + others);
            }
            assertEventIsThatOfTheLastJvm(jvm, profilers);
            Collections.shuffle(profilers, random);
            for (Attached profiler : profilers) {
                profiler.detach();
                assertThat(profiler.isAttached()).isFalse();
            }
            assertThat(HostTrace.of(jvm)).as("round %d", round).isEmpty();
        }
        assertThat(AuditComparison.of(before, Audit.of(pid)).of(Verdict.LEFTOVER))
                .isEmpty();
        assertThat(jvm.ask("load")).isEqualTo("a guest");
        assertThat(jvm.exit()).as(jvm.evidence()).isZero();
    }

    /** A thread of the last JVM's program is reported to the last profiler only. */
    private static void assertEventIsThatOfTheLastJvm(Jvm jvm, List<Attached> profilers) throws Exception {
        List<Long> counts = new ArrayList<>();
        for (Attached profiler : profilers) {
            counts.add(profiler.count("threadDestroyed"));
        }
        jvm.ask("thread guest");
        Attached last = profilers.get(JVMS - 1);
        Deadline deadline = Deadline.in(Attached.LIMIT);
        while (last.count("threadDestroyed") == counts.get(JVMS - 1)) {
            deadline.check("the thread is not reported");
        }
        for (int i = 0; i < JVMS - 1; i++) {
            assertThat(profilers.get(i).count("threadDestroyed"))
                    .as("JVM %d", i + 1)
                    .isEqualTo(counts.get(i));
        }
    }
}
