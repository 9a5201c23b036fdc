package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A JVM that checks every use of JNI (-Xcheck:jni) reports nothing about the host. */
class CheckedJniTest {
    private static final String EVENTS = "THREADS CLASS_LOADS MODULE_LOADS GARBAGE_COLLECTIONS"
            + " COMPILED_METHODS SUSPENSIONS STACK_SNAPSHOTS" + " ALLOCATIONS MONITORS";

    @TempDir
    private Path folder;

    static List<Jdk> jdks() {
        return AttachTest.hosts();
    }

    static List<Jdk> jdksWithVirtualThreads() {
        return jdks().stream().filter(jdk -> jdk.feature() >= 21).toList();
    }

    @ParameterizedTest
    @MethodSource("jdksWithVirtualThreads")
    void checkJniPrintsNothingWhileVirtualThreadsAreSearched(Jdk jdk) throws Exception {
        try (Jvm jvm =
                Jvm.run("ThreadAndClassChurn").on(jdk).with("-Xcheck:jni").start()) {
            Attached profiler = Attached.withoutJvmti(jvm, folder);
            assertThat(profiler.ask("virtual")).isEqualTo("started");
            profiler.ask("detach");
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!ProfilerClient.status(Math.toIntExact(jvm.pid()))
                    .map(status -> status.pinnedBy())
                    .orElse("")
                    .startsWith("virtual thread #")) {
                deadline.check("the virtual thread was not named");
            }
            jvm.ask("release");
            HostTrace.collectUntilNone(jvm);
            assertThat(jvm.exit()).as(jvm.evidence()).isZero();
            assertThat(jvm.evidence()).doesNotContain("WARNING in native method");
        }
    }

    /** A report would appear among the target's answers, and the first unexpected answer fails the test. */
    @ParameterizedTest
    @MethodSource("jdks")
    void checkJniPrintsNothingForAnAttachedProfiler(Jdk jdk) throws Exception {
        try (Jvm jvm =
                Jvm.run("ThreadAndClassChurn").on(jdk).with("-Xcheck:jni").start()) {
            jvm.ask("stay sleeper");
            Attached profiler = Attached.to(jvm, folder, EVENTS);
            for (int i = 0; i < 3; i++) {
                assertThat(jvm.ask("thread t")).isEqualTo("ended");
                assertThat(jvm.ask("load")).isEqualTo("a guest");
                assertThat(profiler.ask("classes").lines()).contains("java.lang.Object");
                assertThat(profiler.ask("modules").lines()).contains("java.base");
                assertThat(profiler.ask("compiled")).isNotEmpty();
                assertThat(profiler.ask("stack sleeper")).contains("mayfly.targets.ThreadAndClassChurn.stay");
                assertThat(profiler.ask("threads").lines()).contains("sleeper");
                assertThat(jvm.ask("unload")).isEqualTo("collected");
            }
            profiler.detach();
            Attached pinned = Attached.to(jvm, folder, "CLASS_LOADS");
            pinned.ask("bean");
            pinned.ask("detach");
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!ProfilerClient.status(Math.toIntExact(jvm.pid()))
                    .map(status -> status.state())
                    .orElse("")
                    .equals("pinned")) {
                deadline.check("the state was not reached");
            }
            assertThat(DetachTest.path(jvm)).contains("mayfly.profilers.testing.ScriptedProfiler");
            assertThat(jvm.ask("forget")).isEqualTo("forgotten");
            HostTrace.collectUntilNone(jvm);
            Attached held = Attached.to(jvm, folder, "");
            held.ask("give");
            assertThat(jvm.ask("take")).isEqualTo("taken");
            held.ask("detach");
            assertThat(DetachTest.path(jvm))
                    .startsWith("referenced by a local variable of" + " mayfly.targets.ThreadAndClassChurn.hold on ")
                    .contains("holder")
                    .contains("mayfly.profilers.testing.ScriptedProfiler");
            jvm.ask("release");
            HostTrace.collectUntilNone(jvm);
            assertThat(jvm.exit()).as(jvm.evidence()).isZero();
            assertThat(jvm.evidence())
                    .doesNotContain("JNI local refs")
                    .doesNotContain("WARNING in native method")
                    .doesNotContain("FATAL ERROR in native method");
        }
    }
}
