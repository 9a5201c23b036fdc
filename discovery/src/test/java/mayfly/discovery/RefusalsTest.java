package mayfly.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import mayfly.discovery.SessionRefused.Reason;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessUnavailable;
import mayfly.runtime.RuntimeProblem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RefusalsTest {

    @Test
    void unknownPidIsRefusedAsNoSuchProcess() {
        assertThatThrownBy(() -> LiveProcess.open(Integer.MAX_VALUE)).isInstanceOfSatisfying(ProcessUnavailable.class,
                e -> assertRefused(Refusals.of(e), Reason.NO_SUCH_PROCESS, "no process 2147483647", "mayfly ps"));
    }

    @Test
    @Tag("slow")
    void unreadableFileIsNotPermittedOrTargetGoneIfTheProcessEnded() throws Exception {
        Process cat = new ProcessBuilder("cat").start();
        try (LiveProcess process = LiveProcess.open((int) cat.pid())) {
            assertRefused(Refusals.unreadable(process, new IOException("Permission denied")), Reason.NOT_PERMITTED,
                    "process " + cat.pid() + " cannot be read: Permission denied", "mayfly doctor " + cat.pid());
            assertRefused(Refusals.unreadable(process, new EOFException()), Reason.NOT_PERMITTED, "EOFException", "");
            cat.destroyForcibly();
            cat.waitFor();
            assertRefused(Refusals.unreadable(process, new IOException("Permission denied")), Reason.TARGET_GONE, "has ended", "");
        } finally {
            cat.destroyForcibly();
        }
    }

    @Test
    @Tag("slow")
    void processWithoutRuntimeIsRefusedAsNotAJvm() throws Exception {
        Process cat = new ProcessBuilder("cat").start();
        try (LiveProcess process = LiveProcess.open((int) cat.pid())) {
            assertRefused(Refusals.noRuntime(process, null), Reason.NOT_A_JVM,
                    "process " + cat.pid() + " is not a JVM", "mayfly ps");
            var without = new RuntimeProblem(RuntimeProblem.Reason.NO_SYMBOLS, "deleted", "");
            assertRefused(Refusals.noRuntime(process, without), Reason.UNSUPPORTED_VM, "cannot be had any more",
                    "replaced or removed");
            cat.destroyForcibly();
            cat.waitFor();
            assertRefused(Refusals.noRuntime(process, null), Reason.TARGET_GONE, "has ended", "");
        } finally {
            cat.destroyForcibly();
        }
    }

    @Test
    @Tag("slow")
    void failureAfterTheEndOfTheTargetIsRefusedAsTargetGone() throws Exception {
        Process cat = new ProcessBuilder("cat").start();
        try (LiveProcess process = LiveProcess.open((int) cat.pid())) {
            Path capture = Path.of("x.mayfly");
            IOException failure = new IOException("No space left on device");
            assertRefused(Refusals.unprepared(process, capture, failure), Reason.OUTPUT,
                    "x.mayfly cannot be written: No space left on device", "");
            cat.destroyForcibly();
            cat.waitFor();
            assertRefused(Refusals.unprepared(process, capture, failure), Reason.TARGET_GONE,
                    "process " + cat.pid() + " has ended", "");
        } finally {
            cat.destroyForcibly();
        }
    }

    @Test
    void refusalWithoutMessageNamesTheException() {
        assertThat(Refusals.text(new IOException("why"))).isEqualTo("why");
        assertThat(Refusals.text(new IOException())).isEqualTo("IOException");
        assertThat(Refusals.text(new IOException(""))).isEqualTo("IOException");
    }

    private static void assertRefused(SessionRefused refused, Reason reason, String message, String advice) {
        assertThat(refused.reason()).isEqualTo(reason);
        assertThat(refused).hasMessageContaining(message);
        assertThat(refused.advice()).contains(advice);
    }
}
