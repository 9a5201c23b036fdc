package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import mayfly.kit.Command;
import mayfly.kit.Patience;
import mayfly.kit.Project;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the project that no compiler reads. */
class LintTest {
    private static final Duration LIMIT = Patience.of(Duration.ofMinutes(1));
    private static final int PROGRAM_MISSING = 69;

    @ParameterizedTest
    @ValueSource(strings = {"scripts", "workflows"})
    void lintHasNoFinding(String files) {
        Command done = Command.run(LIMIT, Project.root().resolve("testing/lint").toString(), files);
        assumeTrue(done.exitCode() != PROGRAM_MISSING, done.stderr().strip());
        assertThat(done.exitCode()).as(done::evidence).isZero();
    }
}
