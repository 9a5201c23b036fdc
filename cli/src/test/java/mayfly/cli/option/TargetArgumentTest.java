package mayfly.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import mayfly.cli.output.CommandFailed;
import mayfly.discovery.Refused;
import org.junit.jupiter.api.Test;

class TargetArgumentTest {
    @Test
    void numberIsAProcessIdEvenIfThereIsNoSuchProcess() throws Exception {
        assertThat(TargetArgument.pidOf("999999999")).isEqualTo(999_999_999);
    }

    @Test
    void numberAboveEveryProcessIdIsRefused() {
        assertThatThrownBy(() -> TargetArgument.pidOf("4294967296")).isInstanceOfSatisfying(Refused.class, refused -> {
            assertThat(refused.reason()).isEqualTo(Refused.Reason.NO_SUCH_PROCESS);
            assertThat(refused).hasMessage("there is no process 4294967296");
        });
    }

    @Test
    void blankTargetIsAWrongUsage() {
        assertThatThrownBy(() -> TargetArgument.pidOf(" "))
                .isInstanceOf(CommandFailed.class)
                .hasMessageContaining("the process id or name is empty");
    }
}
