package mayfly.linux.proc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import mayfly.linux.CProgram;
import mayfly.linux.LiveProcess;
import mayfly.linux.perf.Probe;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PermissionsTest {

    @Test
    void kernelSettingsAreRead() throws Exception {
        Permissions permissions = Permissions.read();
        assertThat(permissions.cpus()).isPositive();
        assertThat(permissions.kernel()).isEqualTo(System.getProperty("os.version"));
        assertThat(permissions.openFilesMost()).isGreaterThanOrEqualTo(permissions.openFiles());
    }

    @Test
    @Tag("privileged")
    void failedProbeNamesTheErrno() throws Exception {
        assertThat(Probe.readMemory(Integer.MAX_VALUE)).isEqualTo(new Probe(false, "ESRCH"));
        assertThat(Probe.trace(Integer.MAX_VALUE)).isEqualTo(new Probe(false, "ESRCH"));
        assertThat(Probe.perThread(Integer.MAX_VALUE, false)).isEqualTo(new Probe(false, "ESRCH"));
    }

    /** The second program never waits for the first one, so that a zombie remains. */
    @Test
    @Tag("privileged")
    void probeOfAProcessThatHasReleasedItsMemoryNamesItAsEnded() throws Exception {
        Process parent = new ProcessBuilder("sh", "-c", "sh -c 'echo $$' & exec sleep 60").start();
        try {
            int child = Integer.parseInt(parent.inputReader().readLine());
            while (!Files.readString(Path.of("/proc", Integer.toString(child), "stat"))
                    .contains(") Z ")) {
                Thread.onSpinWait();
            }
            assertThat(Probe.readMemory(child)).isEqualTo(new Probe(false, "ESRCH"));
        } finally {
            parent.destroyForcibly();
        }
    }

    @Test
    @Tag("privileged")
    void ptraceProbeLeavesTheTargetUntraced() throws Exception {
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid())) {
            program.line();
            Probe.trace(program.pid());
            assertThat(program.ask()).isEqualTo("0 0");
            assertThat(Probe.readMemory(p.pid()).works()).isTrue();
        }
    }
}
