package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The host's threads as the kernel shows them. */
class HostThreadsTest {
    private static final int SIGUSR1 = 10;
    private static final int SIGSEGV = 11;
    private static final int SIGALRM = 14;
    private static final int SIGPROF = 27;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    /** A signal handler of the program would otherwise run on these threads, with their small stacks. */
    @ParameterizedTest
    @MethodSource("jdks")
    void signalsOfTheProgramAreBlockedInThreadsOfTheHost(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            Attached profiler = Attached.to(jvm, folder, "");
            Map<String, Long> blocked = new HashMap<>();
            for (Path task : Checks.files(Path.of("/proc", Long.toString(jvm.pid()), "task"))) {
                List<String> status = Files.readAllLines(task.resolve("status"));
                blocked.put(value(status, "Name:"), Long.parseUnsignedLong(value(status, "SigBlk:"), 16));
            }
            assertThat(blocked).containsKeys("Mayfly channel", "Mayfly host");
            for (String thread : List.of("Mayfly channel", "Mayfly host")) {
                long mask = blocked.get(thread);
                for (int signal : List.of(SIGUSR1, SIGALRM, SIGPROF)) {
                    assertThat(mask >>> (signal - 1) & 1)
                            .as("signal %s in %s", signal, thread)
                            .isOne();
                }
                assertThat(mask >>> (SIGSEGV - 1) & 1)
                        .as("SIGSEGV in %s", thread)
                        .isZero();
            }
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    private static String value(List<String> status, String key) {
        return status.stream()
                .filter(line -> line.startsWith(key))
                .findFirst()
                .orElseThrow()
                .substring(key.length())
                .strip();
    }
}
