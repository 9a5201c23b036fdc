package mayfly.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import mayfly.linux.sys.Pidfd;
import mayfly.process.Mapping;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The maps are a pipe, so that the test determines the content of each read. */
class AddressSpaceTest {
    private static final String MAPS = "55a0000000-55a0001000 r-xp 00000000 08:01 42 /usr/bin/sleep\n";

    @TempDir
    private Path proc;

    private Path pipe() throws Exception {
        Path maps = proc.resolve("maps");
        assertThat(new ProcessBuilder("mkfifo", maps.toString()).start().waitFor()).isZero();
        return maps;
    }

    /** Writes each text to a reader of its own: the reader before has seen the end of the file. */
    private static Thread write(Path pipe, String... texts) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                for (String text : texts) {
                    Files.writeString(pipe, text);
                    Thread.sleep(50); // so that one reader does not see two texts; if it does, the test still passes
                }
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void mappingsAreThoseOfTheNewProgramIfTheOldOneIsReplacedBetweenOpenAndRead() throws Exception {
        Path maps = pipe();
        try (Pidfd self = Pidfd.open((int) ProcessHandle.current().pid());
                AddressSpace space = new AddressSpace(self, proc.toString())) {
            write(maps, "", "", MAPS);
            assertThat(space.mappings()).extracting(Mapping::path).containsExactly("/usr/bin/sleep");
        }
    }

    @Test
    void mappingsOfAProcessWithoutMemoryAreAnError() throws Exception {
        Files.writeString(proc.resolve("maps"), "");
        try (Pidfd self = Pidfd.open((int) ProcessHandle.current().pid());
                AddressSpace space = new AddressSpace(self, proc.toString())) {
            assertThatThrownBy(space::mappings).isInstanceOf(MemoryGone.class);
        }
    }
}
