package mayfly.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import mayfly.cli.Child;
import mayfly.cli.InterruptedProgram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Signals to a command that has not begun to record. */
@Tag("jvm")
class EarlyInterruptTest {
    /** The shell that runs the tests may ignore SIGINT, which the children would inherit. */
    private static Child start(String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                "env",
                "--default-signal=INT,HUP,TERM",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath(),
                InterruptedProgram.class.getName()));
        line.addAll(List.of(words));
        return Child.start(line);
    }

    /** Returns the class path: Maven runs tests with a module path, an IDE with a class path. */
    private static String classPath() {
        return String.join(
                ":",
                Path.of("target", "test-classes").toAbsolutePath().toString(),
                Path.of("target", "classes").toAbsolutePath().toString(),
                System.getProperty("jdk.module.path", ""),
                System.getProperty("java.class.path"));
    }

    private static String interrupted(Child child, String signal) throws Exception {
        assertThat(child.firstLine()).isEqualTo("READY");
        assertThat(new ProcessBuilder("kill", "-" + signal, child.pid())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        return child.process()
                .inputReader(StandardCharsets.UTF_8)
                .lines()
                .toList()
                .toString();
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143", "HUP, 129"})
    void signalBeforeTheFirstSampleReportsThatNothingWasWritten(String signal, int status) throws Exception {
        try (Child child = start("run", "--", "true")) {
            assertThat(interrupted(child, signal))
                    .isEqualTo("[mayfly: interrupted before the first sample; nothing was written]");
            assertThat(child.process().waitFor()).isEqualTo(status);
        }
    }

    /** A shutdown hook runs before the process ends; until then no program may be started or resumed. */
    @Test
    void recordingThatStartsAfterTheSignalDoesNotProceed() throws Exception {
        try (Child child = start("beginning")) {
            assertThat(child.firstLine()).isEqualTo("mayfly: interrupted before the first sample; nothing was written");
            assertThat(child.process().inputReader(StandardCharsets.UTF_8).lines())
                    .isEmpty();
            assertThat(child.process().waitFor()).isEqualTo(130);
        }
    }

    @Test
    void signalAfterTheRecordingPrintsNothing() throws Exception {
        try (Child child = start("over", "run", "--", "true")) {
            assertThat(interrupted(child, "INT")).isEqualTo("[]");
            assertThat(child.process().waitFor()).isEqualTo(130);
        }
    }
}
