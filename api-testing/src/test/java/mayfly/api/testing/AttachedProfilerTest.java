package mayfly.api.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import mayfly.client.DetachRequest;
import mayfly.client.MayflyException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A command and a program that are shell scripts. */
@Tag("slow")
@Timeout(60)
class AttachedProfilerTest {
    private static final Duration SHORT = Duration.ofMillis(700);
    private static final Path JAR = Path.of("/jars/profiler.jar");

    @TempDir
    private Path folder;

    private Scripts scripts;

    @BeforeEach
    void prepare() {
        scripts = new Scripts(folder);
    }

    private TargetProgram program() throws IOException {
        return scripts.program("echo ready; exec sleep 100").readyWhenPrinted("ready");
    }

    @Test
    void auditIsSavedBeforeTheAttachAndComparedAfterTheDetach() throws Exception {
        try (TargetJvm jvm = program().start(scripts.mayfly())) {
            try (AttachedProfiler profiler =
                    jvm.attach(JAR, request -> request.data("d").acceptLastingCost())) {
                assertThat(profiler.send("top")).isEqualTo("answer");
                profiler.detach(DetachRequest::force);
                profiler.assertNothingLeft();
                Files.writeString(folder.resolve("mayfly/status.json"), "{\"attached\":false}");
            }
            assertThat(scripts.commands(jvm.pid()))
                    .filteredOn(command -> !command.startsWith("status --follow"))
                    .containsExactly(
                            "audit --json --save=/.../before.audit -- PID",
                            "attach --accept-lasting-cost --data=d --json --profiler=/.../profiler.jar --quiet"
                                    + " --timeout=60.000s -- PID",
                            "send --runtime=r2 --timeout=60.000s -- PID top",
                            "detach --collect --force --quiet --runtime=r2 --timeout=60.000s -- PID",
                            "audit --compare=/.../before.audit --json -- PID",
                            "status --json --runtime=r2 -- PID");
        }
    }

    @Test
    void closeDetachesAProfilerThatIsAttachedAndRemovesTheAudit() throws Exception {
        try (TargetJvm jvm = program().start(scripts.mayfly())) {
            jvm.attach(JAR).close();
            assertThat(scripts.commands(jvm.pid())).last().asString().startsWith("detach ");
            String saved = Files.readAllLines(folder.resolve("mayfly/commands")).get(0);
            assertThat(Path.of(saved.replaceAll(".*--save=(\\S*)/before.audit .*", "$1")))
                    .isAbsolute()
                    .doesNotExist();
        }
    }

    /** The time-out of a test framework interrupts the thread of the test. */
    @Test
    void interruptedTestDetachesTheProfilerAndKeepsTheInterrupt() throws Exception {
        try (TargetJvm jvm = program().start(scripts.mayfly())) {
            AttachedProfiler profiler = jvm.attach(JAR);
            Thread.currentThread().interrupt();
            profiler.close();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(scripts.commands(jvm.pid())).last().asString().startsWith("detach ");
        }
    }

    /** From now on, the status of the profiler is that of one whose detach is blocked. */
    private void pinned() throws Exception {
        Path status = folder.resolve("mayfly/status.json");
        Files.writeString(status, Files.readString(status).replace("\"active\"", "\"pinned\""));
    }

    @Test
    void closeDoesNotRepeatADetachThatIsBlocked() throws Exception {
        try (TargetJvm jvm = program().start(scripts.mayfly())) {
            AttachedProfiler profiler = jvm.attach(JAR);
            pinned();
            profiler.close();
            assertThat(scripts.commands(jvm.pid())).noneMatch(command -> command.startsWith("detach"));
        }
    }

    @Test
    void attachIsRepeatedWhileTheJvmIsStarting() throws Exception {
        String starting = "if [ ! -e twice ]; then if [ -e once ]; then touch twice; else touch once; fi;"
                + " echo 'mayfly: it is starting [jvm-starting]' >&2; exit 1; fi; cat audit.json";
        try (TargetJvm jvm = program().start(scripts.mayfly("audit", starting));
                AttachedProfiler profiler = jvm.attach(JAR)) {
            assertThat(profiler.send("x")).isEqualTo("answer");
            assertThat(scripts.commands(jvm.pid()))
                    .filteredOn(command -> command.startsWith("audit"))
                    .hasSize(3);
        }
    }

    @Test
    void jvmThatDoesNotStartInTimeFailsWithTheMessageOfTheCommand() throws Exception {
        TargetProgram program = scripts.program("exec sleep 100").timeLimit(SHORT);
        try (TargetJvm jvm =
                program.start(scripts.mayfly("attach", "echo 'mayfly: it is starting [jvm-starting]' >&2; exit 1"))) {
            assertThatThrownBy(() -> jvm.attach(JAR))
                    .isInstanceOf(ProfilerTestException.class)
                    .hasMessageContaining("it is starting [jvm-starting]");
        }
    }

    @Test
    void refusedAttachHasItsReasonTheAdviceAndTheOutput() throws Exception {
        String refusal = "printf 'mayfly: refused [lasting-cost-not-accepted]\\n  add an option\\n' >&2; exit 23";
        try (TargetJvm jvm = program().start(scripts.mayfly("attach", refusal))) {
            ProfilerTestException failure = catchThrowableOfType(ProfilerTestException.class, () -> jvm.attach(JAR));
            assertThat(failure.reason()).hasValue(MayflyException.Reason.LASTING_COST_NOT_ACCEPTED);
            assertThat(failure)
                    .hasMessageStartingWith("refused [lasting-cost-not-accepted]\nadvice: add an option\nprocess "
                            + jvm.pid() + ", which is running: ")
                    .hasMessageContaining("its output:\nready\nstandard error of mayfly:\n");
        }
    }

    @Test
    void emissionIsFoundAfterTheLineOfTheCallBefore() throws Exception {
        try (TargetJvm jvm = program().start(scripts.mayfly());
                AttachedProfiler profiler = jvm.attach(JAR)) {
            assertThat(profiler.awaitEmission("tw")).isEqualTo("two");
            profiler.emissions();
            assertThatThrownBy(() -> profiler.awaitEmission("one"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("the profiler did not emit \"one\" before it ended\n")
                    .hasMessageEndingWith("emissions of the profiler:\none\ntwo\nthree");
            assertThat(profiler.emissions()).containsExactly("one", "two", "three");
        }
    }

    @Test
    void emissionThatDoesNotArriveFailsAtTheLimit() throws Exception {
        String status = "case \"$*\" in *--follow*) exec sleep 100 ;; *) cat status.json ;; esac";
        TargetProgram program = scripts.program("exec sleep 100").timeLimit(SHORT);
        try (TargetJvm jvm = program.start(scripts.mayfly("status", status));
                AttachedProfiler profiler = jvm.attach(JAR)) {
            assertThatThrownBy(() -> profiler.awaitEmission("one"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("the profiler did not emit \"one\" within PT0.7S\n")
                    .hasMessageEndingWith("emissions of the profiler: none");
        }
    }

    @Test
    void answerIsAwaitedByRepeatedCommands() throws Exception {
        String send = "count=$(cat count 2>/dev/null || echo 0); count=$((count + 1)); echo $count | tee count";
        try (TargetJvm jvm = program().start(scripts.mayfly("send", send));
                AttachedProfiler profiler = jvm.attach(JAR)) {
            assertThat(profiler.awaitAnswer("count", "3")).isEqualTo("3");
        }
    }

    @Test
    void answerThatDoesNotArriveFailsAtTheLimitWithTheLastOne() throws Exception {
        TargetProgram program = scripts.program("exec sleep 100").timeLimit(SHORT);
        try (TargetJvm jvm = program.start(scripts.mayfly());
                AttachedProfiler profiler = jvm.attach(JAR)) {
            assertThatThrownBy(() -> profiler.awaitAnswer("top", "x"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith(
                            "no answer to \"top\" contained \"x\" within PT0.7S; the last one:\nanswer\n");
        }
    }

    @Test
    void detachThatIsBlockedFailsWithItsCause() throws Exception {
        String detach = "echo 'mayfly: pinned by thread \"my-timer\" [timeout]' >&2; exit 19";
        try (TargetJvm jvm = program().start(scripts.mayfly("detach", detach));
                AttachedProfiler profiler = jvm.attach(JAR)) {
            ProfilerTestException failure = catchThrowableOfType(ProfilerTestException.class, profiler::detach);
            assertThat(failure.reason()).hasValue(MayflyException.Reason.TIMEOUT);
            assertThat(failure).hasMessageStartingWith("pinned by thread \"my-timer\"");
            pinned();
        }
    }

    @Test
    void leftoverFailsTheAssertionAndOtherChangesDoNot() throws Exception {
        String item =
                "{\"kind\":\"threads\",\"item\":\"%s\",\"before\":0,\"after\":1,\"verdict\":\"%s\",\"reason\":\"r\"}";
        try (TargetJvm jvm = program().start(scripts.mayfly());
                AttachedProfiler profiler = jvm.attach(JAR)) {
            scripts.compared(item.formatted("a", "allowed") + "," + item.formatted("c", "changed"), "");
            profiler.assertNothingLeft();
            assertThat(profiler.changes().differences()).hasSize(2);
            scripts.compared(item.formatted("a", "allowed") + "," + item.formatted("timer", "leftover"), "");
            assertThatThrownBy(profiler::assertNothingLeft)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("the process differs from the audit before the attach:\n"
                            + "  threads: timer, 0 before and 1 now: r\n"
                            + "the profiler is active: detach it first\nprocess " + jvm.pid());
        }
    }

    @Test
    void kindThatWasNotReadFailsTheAssertion() throws Exception {
        try (TargetJvm jvm = program().start(scripts.mayfly());
                AttachedProfiler profiler = jvm.attach(JAR)) {
            scripts.compared("", "{\"kind\":\"sockets\",\"reason\":\"denied\"}");
            assertThatThrownBy(profiler::assertNothingLeft)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("  sockets: could not be compared: denied\n");
        }
    }

    @Test
    void linesEmittedBeforeTheDetachAreFoundAfterIt() throws Exception {
        String status = "case \"$*\" in *--follow*) echo one; echo status >&2;"
                + " while [ ! -e detached ]; do sleep 0.01; done; echo last ;; *) cat status.json ;; esac";
        try (TargetJvm jvm = program().start(scripts.mayfly("status", status, "detach", "touch detached"));
                AttachedProfiler profiler = jvm.attach(JAR)) {
            profiler.detach();
            assertThat(profiler.awaitEmission("one")).isEqualTo("one");
            assertThat(profiler.awaitEmission("last")).isEqualTo("last");
        }
    }

    @Test
    void detachSucceedsIfTheFollowerFails() throws Exception {
        String status = "case \"$*\" in *--follow*) echo 'mayfly: no profiler [no-profiler]' >&2; exit 28 ;;"
                + " *) cat status.json ;; esac";
        try (TargetJvm jvm = program().start(scripts.mayfly("status", status));
                AttachedProfiler profiler = jvm.attach(JAR)) {
            profiler.detach();
            ProfilerTestException failure = catchThrowableOfType(ProfilerTestException.class, profiler::emissions);
            assertThat(failure.reason()).hasValue(MayflyException.Reason.NO_PROFILER);
        }
    }
}
