package mayfly.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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
        Path maps = proc.toRealPath().resolve("maps");
        assertThat(new ProcessBuilder("mkfifo", maps.toString()).start().waitFor())
                .isZero();
        return maps;
    }

    /** Writes each text to a separate reader, after the previous reader has closed the pipe. */
    private static Thread write(Path pipe, String... texts) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                for (String text : texts) {
                    Files.writeString(pipe, text);
                    while (isOpen(pipe)) {
                        Thread.onSpinWait();
                    }
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    /** Returns true while the reader, which is in this process, has the pipe open. */
    private static boolean isOpen(Path pipe) {
        String[] descriptors = new File("/proc/self/fd").list();
        return descriptors != null
                && Arrays.stream(descriptors).anyMatch(number -> {
                    try {
                        return Files.readSymbolicLink(Path.of("/proc/self/fd", number))
                                .equals(pipe);
                    } catch (IOException e) {
                        return false; // closed meanwhile
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
