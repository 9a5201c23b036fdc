package mayfly.record.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import org.junit.jupiter.api.Test;

class PerfSourceTest {
    private final List<String> frames = new ArrayList<>();

    private WalkOutcome withoutRegisters(boolean hasAddressSpace) {
        return PerfSource.withoutRegisters(hasAddressSpace, (Frame frame) -> frames.add(frame.label()));
    }

    @Test
    void stackOfAnExitingThreadIsComplete() {
        assertThat(withoutRegisters(false)).isEqualTo(WalkOutcome.COMPLETE);
        assertThat(frames).containsExactly("[exiting]");
    }

    @Test
    void threadIn32BitCodeHasNoUserContext() {
        assertThat(withoutRegisters(true)).isEqualTo(WalkOutcome.NO_USER_CONTEXT);
        assertThat(frames).isEmpty();
    }
}
