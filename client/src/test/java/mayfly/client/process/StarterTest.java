package mayfly.client.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StarterTest {
    @Test
    void starterRemovesTheVariableThatPrintsTheJvm() {
        var environment = new TreeMap<>(Map.of("MAYFLY_PRINT_JAVA", "1", "MAYFLY_JAVA_HOME", "/jdk", "PATH", "/bin"));
        Starter.prepare(environment);
        assertThat(environment).containsOnlyKeys("MAYFLY_JAVA_HOME", "PATH");
    }
}
