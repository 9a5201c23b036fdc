package mayfly.linux.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import mayfly.linux.CProgram;
import mayfly.linux.HeldAddressSpace;
import mayfly.linux.LiveProcess;
import mayfly.linux.ReplacedProgram;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("privileged")
class SpawnTest {

    @Test
    void spawnedCommandWaitsAndPassesItsExitStatus() throws Exception {
        try (Spawn spawn = Spawn.start(List.of("/bin/sh", "-c", "exit 7"));
                LiveProcess p = LiveProcess.open(spawn.pid())) {
            assertThat(p.life().isAlive()).isTrue();
            spawn.resume();
            assertThat(spawn.waitFor()).isEqualTo(7);
        }
    }

    @Test
    void statusAfterASignalIs128PlusItsNumber() throws Exception {
        try (Spawn spawn = Spawn.start(List.of("/bin/sh", "-c", "kill -9 $$"))) {
            spawn.resume();
            assertThat(spawn.waitFor()).isEqualTo(128 + 9);
        }
    }

    @Test
    void memoryOfAHeldCommandOutlivesIt() throws Exception {
        assumeTrue(HeldAddressSpace.isPermitted(), "userfaultfd(2) is not permitted");
        try (Spawn spawn = Spawn.start(List.of("/bin/sh", "-c", "exit 7"));
                LiveProcess p = LiveProcess.open(spawn.pid())) {
            long shell = p.mappings().getFirst().start();
            long[] start = new long[1];
            assertThat(spawn.resumeHeld(p, () -> start[0] = firstMapping(p))).isTrue();
            assertThat(start[0]).as("called in the new program").isNotZero().isNotEqualTo(shell);
            assertThat(p.life().awaitExit(10_000)).isTrue();
            assertThat(p.memory().readInt(start[0]))
                    .as("an ELF file's first bytes")
                    .isEqualTo(0x464c457f);
            assertThat(p.mappings().getFirst().start()).isEqualTo(start[0]);
            assertThat(p.isMemoryGone()).isFalse();
            assertThat(spawn.waitFor()).isEqualTo(7);
            assertThat(p.memory().readInt(start[0]))
                    .as("after the child has been waited for")
                    .isEqualTo(0x464c457f);
        }
    }

    @Test
    void holdFollowsAnExecToTheNewProgram() throws Exception {
        assumeTrue(HeldAddressSpace.isPermitted(), "userfaultfd(2) is not permitted");
        try (Spawn spawn = Spawn.start(List.of("/bin/sh", "-c", "exec sleep 1000"));
                LiveProcess p = LiveProcess.open(spawn.pid())) {
            assertThat(spawn.resumeHeld(p, () -> {})).isTrue();
            while (!p.facts().commandLine().equals(List.of("sleep", "1000"))) {
                Thread.onSpinWait();
            }
            follow(p);
            long start = p.mappings().getFirst().start();
            spawn.kill();
            assertThat(p.life().awaitExit(10_000)).isTrue();
            assertThat(p.memory().readInt(start))
                    .as("an ELF file's first bytes")
                    .isEqualTo(0x464c457f);
            follow(p);
            assertThat(p.memory().readInt(start))
                    .as("it has ended, and stays held")
                    .isEqualTo(0x464c457f);
        }
    }

    /** Each of 500 programs replaces the previous one at an arbitrary moment during a hold. */
    @Test
    void execDuringTheHoldIsNoticedAndTheLastProgramIsHeld() throws Exception {
        assumeTrue(HeldAddressSpace.isPermitted(), "userfaultfd(2) is not permitted");
        String again = "[ $1 = 0 ] && exec sleep 1000; exec /bin/sh -c \"$0\" \"$0\" $(($1 - 1))";
        try (Spawn spawn = Spawn.start(List.of("/bin/sh", "-c", again, again, "500"));
                LiveProcess p = LiveProcess.open(spawn.pid())) {
            assertThat(spawn.resumeHeld(p, () -> {})).isTrue();
            long longest = 0;
            while (!p.facts().commandLine().equals(List.of("sleep", "1000"))) {
                long before = System.nanoTime();
                follow(p);
                longest = Math.max(longest, System.nanoTime() - before);
            }
            // A late exec takes one more attempt.
            for (int i = 0; i < 5; i++) {
                follow(p);
            }
            long start = p.mappings().getFirst().start();
            assertThat(longest)
                    .as("ns of the longest; a hold that cannot begin is abandoned after 2 s")
                    .isLessThan(1_500_000_000L);
            spawn.kill();
            assertThat(p.life().awaitExit(10_000)).isTrue();
            assertThat(p.memory().readInt(start))
                    .as("an ELF file's first bytes")
                    .isEqualTo(0x464c457f);
        }
    }

    @Test
    void memoryBeforeAnExecStaysReadable() throws Exception {
        assumeTrue(HeldAddressSpace.isPermitted(), "userfaultfd(2) is not permitted");
        try (Spawn spawn = Spawn.start(List.of("/bin/sh", "-c", "exec sleep 1000"));
                LiveProcess p = LiveProcess.open(spawn.pid())) {
            List<Mapping> shell = new ArrayList<>();
            assertThat(spawn.resumeHeld(p, () -> shell.addAll(mappings(p)))).isTrue();
            while (!p.facts().commandLine().equals(List.of("sleep", "1000"))) {
                Thread.onSpinWait();
            }
            long start = shell.getFirst().start();
            Memory given;
            try (ReplacedProgram before = p.followExec()) {
                assertThat(before).isNotNull();
                given = before.memory();
                assertThat(before.memory().readInt(start))
                        .as("an ELF file's first bytes")
                        .isEqualTo(0x464c457f);
                assertThat(before.mappings().getFirst().path())
                        .isEqualTo(shell.getFirst().path());
                assertThat(before.mappings()).as("the C library too").hasSizeGreaterThan(shell.size());
                assertThat(p.mappings().getFirst().path())
                        .isNotEqualTo(shell.getFirst().path());
            }
            assertThatThrownBy(() -> given.readInt(start)).as("released").isInstanceOf(MemoryFault.class);
            assertThat(p.followExec()).as("nothing new").isNull();
            spawn.kill();
        }
    }

    private static void follow(LiveProcess process) {
        try (ReplacedProgram before = process.followExec()) {
            assertThat(before == null || before.pid() == process.pid()).isTrue();
        }
    }

    private static List<Mapping> mappings(LiveProcess process) {
        try {
            return process.mappings();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void memoryWithoutAHoldIsGoneWithTheProcess() throws Exception {
        try (Spawn spawn = Spawn.start(List.of("/bin/true"));
                LiveProcess p = LiveProcess.open(spawn.pid())) {
            long start = firstMapping(p);
            spawn.resume();
            assertThat(spawn.waitFor()).isZero();
            assertThatThrownBy(() -> p.memory().readInt(start)).isInstanceOf(MemoryFault.class);
            assertThat(p.isMemoryGone()).isTrue();
            assertThatThrownBy(p::mappings).isInstanceOf(IOException.class);
        }
    }

    @Test
    void heldCommandReceivesSignals() throws Exception {
        assumeTrue(HeldAddressSpace.isPermitted(), "userfaultfd(2) is not permitted");
        try (Spawn spawn = Spawn.start(List.of("/bin/sh", "-c", "kill -TERM $$; exit 7"));
                LiveProcess p = LiveProcess.open(spawn.pid())) {
            assertThat(spawn.resumeHeld(p, () -> {})).isTrue();
            assertThat(spawn.waitFor()).isEqualTo(128 + 15);
        }
    }

    @Test
    void memoryHeldTwiceOutlivesAKilledProcess() throws Exception {
        assumeTrue(HeldAddressSpace.isPermitted(), "userfaultfd(2) is not permitted");
        try (CProgram program = CProgram.start("target", "b");
                LiveProcess p = LiveProcess.open(program.pid())) {
            long pattern = Long.parseUnsignedLong(program.line().split(" ")[0].substring(2), 16);
            assertThat(p.hold()).isTrue();
            assertThat(p.hold()).as("a second time").isTrue();
            program.kill();
            assertThat(p.life().awaitExit(10_000)).isTrue();
            assertThat(p.memory().readLong(pattern + 8)).isEqualTo(0x0123456789abcdefL * 2);
        }
    }

    private static long firstMapping(LiveProcess process) {
        try {
            return process.mappings().getFirst().start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void commandThatIsNeverResumedEnds() throws Exception {
        Spawn spawn = Spawn.start(List.of("/bin/true"));
        spawn.close();
        assertThat(spawn.waitFor()).isEqualTo(125);
    }
}
