package mayfly.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import mayfly.discovery.Refused.Reason;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessUnavailable;
import mayfly.runtime.RuntimeProblem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RefusalsTest {

    @Test
    void unknownPidIsRefusedAsNoSuchProcess() {
        assertThatThrownBy(() -> LiveProcess.open(Integer.MAX_VALUE))
                .isInstanceOfSatisfying(
                        ProcessUnavailable.class,
                        e -> assertRefused(
                                Refusals.of(e), Reason.NO_SUCH_PROCESS, "no process 2147483647", "mayfly ps"));
    }

    @Test
    @Tag("slow")
    void readErrorIsRefusedAsNotPermittedOrAsTargetGoneIfTheProcessEnded() throws Exception {
        Process cat = new ProcessBuilder("cat").start();
        try (LiveProcess process = LiveProcess.open((int) cat.pid())) {
            assertRefused(
                    Refusals.unreadable(process, new IOException("Permission denied")),
                    Reason.NOT_PERMITTED,
                    "process " + cat.pid() + " cannot be read: Permission denied",
                    "mayfly doctor " + cat.pid());
            assertRefused(Refusals.unreadable(process, new EOFException()), Reason.NOT_PERMITTED, "EOFException", "");
            cat.destroyForcibly();
            cat.waitFor();
            assertRefused(
                    Refusals.unreadable(process, new IOException("Permission denied")),
                    Reason.TARGET_GONE,
                    "has ended",
                    "");
        } finally {
            cat.destroyForcibly();
        }
    }

    @Test
    @Tag("slow")
    void processWithoutRuntimeIsRefusedAsNotAJvm() throws Exception {
        Process cat = new ProcessBuilder("cat").start();
        try (LiveProcess process = LiveProcess.open((int) cat.pid())) {
            assertRefused(
                    Refusals.noRuntime(process, null),
                    Reason.NOT_A_JVM,
                    "process " + cat.pid() + " is not a JVM",
                    "mayfly ps");
            var without = new RuntimeProblem(RuntimeProblem.Reason.NO_SYMBOLS, "deleted", "");
            assertRefused(
                    Refusals.noRuntime(process, without),
                    Reason.UNSUPPORTED_VM,
                    "is no longer available",
                    "replaced or removed");
            var otherCpu = new RuntimeProblem(RuntimeProblem.Reason.OTHER_CPU, "frames on stub are not supported", "");
            assertRefused(
                    Refusals.noRuntime(process, otherCpu),
                    Reason.UNSUPPORTED_VM,
                    "process " + cat.pid() + " runs a JVM on an unsupported CPU: frames on stub are not supported",
                    "");
            var musl = new RuntimeProblem(RuntimeProblem.Reason.OTHER_C_LIBRARY, "its C library is musl (/lib/x)", "");
            assertRefused(
                    Refusals.noRuntime(process, musl),
                    Reason.UNSUPPORTED_VM,
                    "process " + cat.pid() + " runs a JVM that is not supported: its C library is musl (/lib/x)",
                    "JVMs for glibc");
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
            assertRefused(
                    Refusals.unprepared(process, capture, failure),
                    Reason.OUTPUT,
                    "x.mayfly cannot be written: No space left on device",
                    "");
            cat.destroyForcibly();
            cat.waitFor();
            assertRefused(
                    Refusals.unprepared(process, capture, failure),
                    Reason.TARGET_GONE,
                    "process " + cat.pid() + " has ended",
                    "");
        } finally {
            cat.destroyForcibly();
        }
    }

    /** The version and the message are those of HotSpotOpenTest. */
    @Test
    void jvmThatIsTooOldIsRefusedByItsVersion() throws Exception {
        var old = new RuntimeProblem(
                RuntimeProblem.Reason.TOO_OLD,
                "JDK 8 is not supported; the oldest supported JDK is 11",
                "8 (HotSpot 25.504-b01)");
        int pid = (int) ProcessHandle.current().pid();
        try (LiveProcess self = LiveProcess.open(pid)) {
            assertRefused(
                    Refusals.noRuntime(self, old),
                    Reason.UNSUPPORTED_VM,
                    "process " + pid
                            + " runs JVM 8 (HotSpot 25.504-b01): JDK 8 is not supported; the oldest supported JDK is"
                            + " 11",
                    "17 and 25 are tested");
        }
    }

    @Test
    void refusalWithoutMessageNamesTheException() {
        assertThat(Refusals.text(new IOException("why"))).isEqualTo("why");
        assertThat(Refusals.text(new IOException())).isEqualTo("IOException");
        assertThat(Refusals.text(new IOException(""))).isEqualTo("IOException");
    }

    private static void assertRefused(Refused refused, Reason reason, String message, String advice) {
        assertThat(refused.reason()).isEqualTo(reason);
        assertThat(refused).hasMessageContaining(message);
        assertThat(refused.advice()).contains(advice);
    }

    @Test
    void equalRefusalsOfEachCollectorAreOneRefusalWithItsAdvice() {
        Refused each = new Refused(Reason.UNSUPPORTED, "not now", "later");
        assertThat(Refusals.noCollector(7, List.of("one", "two"), List.of(each, each)))
                .isSameAs(each);
        Refused other = new Refused(Reason.NOT_PERMITTED, "never", "");
        assertThat(Refusals.noCollector(7, List.of("one", "two"), List.of(each, other))
                        .advice())
                .contains("one", "two");
    }
}
