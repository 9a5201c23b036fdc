package mayfly.attach.channel;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.api.Status;
import mayfly.discovery.Refused;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttachFailedTest {

    /** The Java interface and the event log use the status; the exit code depends on the refusal. */
    @ParameterizedTest
    @CsvSource({
        "NO_SUCH_PROCESS,RUNTIME_NOT_LOADED",
        "ZOMBIE,RUNTIME_NOT_LOADED",
        "NOT_A_JVM,RUNTIME_NOT_LOADED",
        "NO_SUCH_RUNTIME,RUNTIME_NOT_LOADED",
        "JVM_STARTING,RUNTIME_NOT_LOADED",
        "TARGET_GONE,FAILED",
        "NOT_PERMITTED,ATTACH_REFUSED",
        "AMBIGUOUS,ATTACH_REFUSED",
        "UNSUPPORTED_VM,ATTACH_REFUSED"
    })
    void refusedTargetHasAStatusAndKeepsItsRefusal(Refused.Reason reason, Status status) {
        var refusal = new Refused(reason, "process 7", "advice");
        var failed = new AttachFailed(refusal);
        assertThat(failed.status()).isEqualTo(status);
        assertThat(failed).hasMessage("process 7");
        assertThat(failed.refusal()).containsSame(refusal);
    }

    @Test
    void failureOfTheProfilerHasNoRefusal() {
        assertThat(new AttachFailed(Status.FAILED, "thrown", "trace").refusal()).isEmpty();
    }
}
