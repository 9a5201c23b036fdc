package mayfly.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExactLeavesTest {
    private static final String UNLOCK = "-XX:+UnlockDiagnosticVMOptions";
    private static final String FLAG = "-XX:+DebugNonSafepoints";

    @Test
    void javaGetsTheExactLeafOptionsAsFirstArguments() {
        for (String java : List.of("java", "/usr/lib/jvm/java-17/bin/java", "./java")) {
            List<String> command = List.of(java, "-Xmx1g", "-jar", "app.jar");
            assertThat(ExactLeaves.command(command)).containsExactly(java, UNLOCK, FLAG, "-Xmx1g", "-jar", "app.jar");
            assertThat(ExactLeaves.environment(command, Map.of(), Map.of())).isEmpty();
        }
    }

    @Test
    void otherCommandGetsTheExactLeafOptionsInTheEnvironment() {
        List<String> command = List.of("bin/catalina.sh", "run");
        String variable = "JDK_JAVA_OPTIONS";
        assertThat(ExactLeaves.command(command)).isEqualTo(command);
        assertThat(ExactLeaves.environment(command, Map.of(), Map.of()))
                .isEqualTo(Map.of(variable, UNLOCK + " " + FLAG));
        assertThat(ExactLeaves.environment(command, Map.of(), Map.of(variable, "-Da=1")))
                .isEqualTo(Map.of(variable, "-Da=1 " + UNLOCK + " " + FLAG));
        assertThat(ExactLeaves.environment(command, Map.of(variable, "-Da=2"), Map.of(variable, "-Da=1")))
                .isEqualTo(Map.of(variable, "-Da=2 " + UNLOCK + " " + FLAG));
    }

    @Test
    void javacIsNotTreatedAsJava() {
        assertThat(ExactLeaves.command(List.of("javac", "A.java"))).containsExactly("javac", "A.java");
    }
}
