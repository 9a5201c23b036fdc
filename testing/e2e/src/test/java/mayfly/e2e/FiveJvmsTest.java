package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.audit.Audit;
import mayfly.audit.AuditComparison;
import mayfly.audit.Verdict;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profile.RuntimeId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Five JVMs of two JDKs in one process. HotSpot does not support several copies of one libjvm: with compiled code, such
 * a process ends soon, at a fault by which a thread stops at a safepoint, also without a profiler. With interpreted
 * code it sometimes ends in the same way at its start; the test then begins again.
 */
@Tag("deep")
class FiveJvmsTest {
    private static final int JVMS = 5;
    private static final int ATTEMPTS = 5;
    private static final String DEFECT = "safepoint polling: pc must refer to an nmethod";
    private static final String EVENTS = "THREADS CLASS_LOADS MODULE_LOADS GARBAGE_COLLECTIONS COMPILED_METHODS";

    @TempDir
    private Path folder;

    private static Jvm start() throws Exception {
        List<Jdk> jdks = JvmPair.jdks();
        assumeTrue(jdks.size() >= 2, "there is only one JDK");
        String early = jdks.getFirst().libjvm().toString();
        String late = jdks.getLast().libjvm().toString();
        return Jvm.run("ThreadAndClassChurn")
                .on(jdks.getLast())
                .environment("GLIBC_TUNABLES", "glibc.malloc.arena_max=2000")
                .environment("SIDEBYSIDE_MORE", String.join(":", early, late, early))
                .under(JvmPair.program().toString(), late, "mayfly.targets.SecondJvmLoad", late)
                .start();
    }

    @Test
    void profilersOfFiveJvmsAreAttachedAtOnceAndDetachedInAnyOrder() throws Exception {
        for (int attempt = 1; !isDone(attempt); attempt++) {
            continue;
        }
    }

    /** Returns false if HotSpot has ended the process, which is tolerated some times. */
    private boolean isDone(int attempt) throws Exception {
        String evidence = "";
        try (Jvm jvm = start()) {
            try {
                attachAndDetach(jvm);
                return true;
            } catch (Exception | AssertionError e) {
                evidence = jvm.evidence();
                throw e;
            }
        } catch (Exception | AssertionError e) {
            if (attempt < ATTEMPTS && (evidence + e.getMessage()).contains(DEFECT)) {
                return false;
            }
            throw e;
        }
    }

    private void attachAndDetach(Jvm jvm) throws Exception {
        Random random = new Random(5);
        Path jar = ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS);
        int pid = Math.toIntExact(jvm.pid());
        Audit before = Audit.of(pid);
        assertListChoosesItsJvms(Integer.toString(pid), jar);
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

    private static void assertListChoosesItsJvms(String pid, Path jar) throws Exception {
        Command attach = CommandLine.run(
                "attach", pid, "--profiler", jar.toString(), "--accept-lasting-cost", "--runtime", "r3,r1");
        assertThat(attach.exitCode()).as(attach.evidence()).isZero();
        assertThat(attach.stderr()).contains("attached to r1, r3 of process " + pid);
        assertThat(ProfilerClient.statuses(Integer.parseInt(pid)).known())
                .extracting(HostStatus::runtime)
                .containsExactly("r1", "r3");
        Command detach = CommandLine.run("detach", pid, "--runtime", "r1,r3");
        assertThat(detach.exitCode()).as(detach.evidence()).isZero();
        assertThat(ProfilerClient.statuses(Integer.parseInt(pid)).known()).isEmpty();
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
