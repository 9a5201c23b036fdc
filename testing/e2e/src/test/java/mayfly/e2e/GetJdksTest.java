package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import mayfly.kit.Command;
import mayfly.kit.Patience;
import mayfly.kit.Project;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The script that unpacks the JDKs of the deep tests. The tests cover its refusals, which need no mirror. */
class GetJdksTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(20));

    @ParameterizedTest
    @CsvSource({
        "8, 'Mayfly reads JDK 11 and later, not 8'",
        "10, 'Mayfly reads JDK 11 and later, not 10'",
        "1x, is no feature version such as 21"
    })
    void unsupportedFeatureVersionIsRefused(String feature, String message) {
        Command done =
                Command.run(LIMIT, Project.root().resolve("testing/get-jdks").toString(), feature);
        assertThat(done.exitCode()).as(done::evidence).isEqualTo(2);
        assertThat(done.stderr()).contains(message);
    }
}
