package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Preconditions of the other tests: JDKs to test on exist, and a target answers. */
class TargetsTest {
    static List<Jdk> jdks() {
        return Jdk.oneOfEach();
    }

    @Test
    void jdk17And25AreInstalled() {
        assertThat(Jdk.oneOfEach()).extracting(Jdk::feature).contains(17, 25);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void idleTargetAnswers(Jdk jdk) {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            assertThat(jvm.ask("anybody?")).isEqualTo("anybody?");
        }
    }
}
