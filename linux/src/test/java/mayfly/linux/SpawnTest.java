package mayfly.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpawnTest {

    @Test
    void theCommandWaitsKeepsItsPidAndPassesItsStatusOn() throws Exception {
        try (Spawn spawn = Spawn.start(List.of("/bin/sh", "-c", "exit 7"));
                LiveProcess p = LiveProcess.open(spawn.pid())) {
            assertThat(p.isAlive()).isTrue();
            spawn.resume();
            assertThat(spawn.waitFor()).isEqualTo(7);
        }
    }

    @Test
    void aSignalIsToldAsShellsDo() throws Exception {
        try (Spawn spawn = Spawn.start(List.of("/bin/sh", "-c", "kill -9 $$"))) {
            spawn.resume();
            assertThat(spawn.waitFor()).isEqualTo(128 + 9);
        }
    }

    @Test
    void aCommandThatIsNeverLetGoEnds() throws Exception {
        Spawn spawn = Spawn.start(List.of("/bin/true"));
        spawn.close();
        assertThat(spawn.waitFor()).isEqualTo(125);
    }
}
