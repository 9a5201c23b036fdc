package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process of an ordinary user attacks commands that root runs. */
class HostileNeighbourTest {
    private static final Duration LIMIT = Patience.of(Duration.ofMinutes(1));

    @TempDir
    private Path folder;

    @TempDir
    private Path home;

    /** 42 MB of maps: more than the memory of the command, and seconds of kernel time to read. */
    @Test
    void psListsOtherJvmsBesideAProcessWithHugeMaps() throws Exception {
        List<String> nobody = Privileges.asNobody();
        Privileges.giveToNobody(home);
        try (Jvm jvm = Jvm.run("Idle").start();
                Neighbour neighbour = Neighbour.start(nobody, CSource.build("manymaps"), home.toString(), "11000")) {
            Command ps = mayfly("ps");
            assertThat(ps.exitCode()).as(ps.evidence()).isZero();
            Checks.noStackTrace(ps);
            assertThat(ps.stdout().lines())
                    .as(ps.evidence())
                    .anyMatch(line -> line.startsWith(jvm.pid() + " "))
                    .anyMatch(line -> line.startsWith(neighbour.pid() + " "));
            assertThat(ps.stderr())
                    .as(ps.evidence())
                    .contains("process " + neighbour.pid() + " is listed without its version");
            Command byName = mayfly("status", "mayfly.targets.NoSuchProgram");
            assertThat(byName.stderr()).as(byName.evidence()).contains("no running JVM has");
        }
    }

    @Test
    void statusAndAttachReturnIfTheHostRecordIsAPipe() throws Exception {
        List<String> nobody = Privileges.asNobody();
        Privileges.giveToNobody(home);
        try (Neighbour neighbour = Neighbour.start(nobody, CSource.build("fakerecord"), home.toString())) {
            Command status = mayfly("status", neighbour.pid());
            assertThat(status.stdout() + status.stderr()).as(status.evidence()).contains("no profiler");
            Command attach = mayfly(
                    "attach",
                    neighbour.pid(),
                    "--timeout",
                    "2s",
                    "--profiler",
                    ProfilerJars.scripted(folder, "").toString());
            assertThat(attach.stderr()).as(attach.evidence()).contains("is not a JVM");
            Command detach = mayfly("detach", neighbour.pid(), "--timeout", "2s");
            assertThat(detach.stderr()).as(detach.evidence()).contains("no profiler");
        }
    }

    private Command mayfly(String... arguments) {
        return LaunchedMayfly.runWithState(folder, LIMIT, arguments);
    }

    /** A C program of another user that prints READY and ends with its standard input. */
    private record Neighbour(Process process) implements AutoCloseable {
        static Neighbour start(List<String> user, Path program, String... arguments) throws IOException {
            Path copy = Files.createTempFile("neighbour", "");
            Files.write(copy, Files.readAllBytes(program));
            assertThat(copy.toFile().setReadable(true, false) && copy.toFile().setExecutable(true, false))
                    .isTrue();
            List<String> line = new ArrayList<>(user);
            line.add(copy.toString());
            line.addAll(List.of(arguments));
            Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
            String ready = process.inputReader().readLine();
            Files.delete(copy);
            assumeTrue(ready != null && ready.startsWith("READY"), "the kernel does not permit it here: " + ready);
            return new Neighbour(process);
        }

        String pid() {
            return Long.toString(process.pid());
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }
}
