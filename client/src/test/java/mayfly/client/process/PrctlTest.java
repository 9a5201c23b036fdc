package mayfly.client.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PrctlTest {
    /** Prints the obstacle in a JVM of its own. */
    static final class ObstacleProgram {
        private ObstacleProgram() {}

        public static void main(String[] args) {
            System.out.print(new Prctl().obstacle().orElse("none"));
        }
    }

    @Test
    void kernelAcceptsTheCallIfItHasYamaAndRefusesItOtherwise() {
        Prctl prctl = new Prctl();
        assertThat(prctl.obstacle()).isEmpty();
        boolean isYama = Files.exists(Path.of("/proc/sys/kernel/yama/ptrace_scope"));
        Optional<String> answer = prctl.permit(0);
        assertThat(answer)
                .isEqualTo(isYama ? Optional.empty() : Optional.of("the kernel refused prctl(PR_SET_PTRACER, 0)"));
    }

    @Test
    @Tag("slow")
    void withoutNativeAccessTheOptionIsNamedAndNothingIsPrinted() throws Exception {
        assertThat(obstacleIn(List.of()))
                .isEqualTo("native access is not enabled: start this JVM with" + " --enable-native-access=ALL-UNNAMED");
        assertThat(obstacleIn(List.of("--enable-native-access=ALL-UNNAMED"))).isEqualTo("none");
    }

    private static String obstacleIn(List<String> options) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        command.addAll(options);
        command.addAll(
                List.of("-cp", place(Prctl.class) + ":" + place(PrctlTest.class), ObstacleProgram.class.getName()));
        Ended ended = Child.run(Starter.PROGRAMS, command, Deadline.in(Optional.empty()));
        assertThat(ended.err()).isEmpty();
        return new String(ended.out());
    }

    private static String place(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().getPath();
    }
}
