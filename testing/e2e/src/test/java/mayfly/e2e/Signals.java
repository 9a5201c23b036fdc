package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import mayfly.kit.Jvm;

/** Stops and resumes targets, as a user does from a shell. */
final class Signals {
    private Signals() {}

    static void stop(Jvm jvm) throws Exception {
        send(jvm, "STOP", 'T');
    }

    static void resume(Jvm jvm) throws Exception {
        send(jvm, "CONT", 'S');
    }

    /** Returns when the kernel reports this state of the main thread. */
    private static void send(Jvm jvm, String name, char expected) throws Exception {
        send(jvm.pid(), name);
        Path stat = Path.of("/proc/" + jvm.pid() + "/stat");
        while (Files.readString(stat).replaceFirst("(?s).*\\) ", "").charAt(0) != expected) {
            Thread.onSpinWait();
        }
    }

    static void send(long pid, String name) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
    }
}
