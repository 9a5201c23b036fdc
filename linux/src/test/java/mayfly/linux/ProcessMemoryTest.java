package mayfly.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.Pidfd;
import mayfly.process.MemoryFault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads this process itself, whose memory is known. */
class ProcessMemoryTest {
    private final int own = (int) ProcessHandle.current().pid();
    private Pidfd pidfd;
    private ProcessMemory memory;

    @BeforeEach
    void open() throws Exception {
        pidfd = Pidfd.open(own);
        memory = new ProcessMemory(pidfd);
    }

    @AfterEach
    void close() {
        pidfd.close();
    }

    /** The id of an ended process is reused, here by this process, before the read. */
    @Test
    @Tag("slow")
    void memoryOfAProcessThatReusesTheIdIsNotRead() throws Exception {
        Process ended = new ProcessBuilder("cat").start();
        try (Pidfd process = Pidfd.open((int) ended.pid());
                Arena arena = Arena.ofConfined()) {
            ended.destroyForcibly();
            assertThat(process.awaitExit(10_000)).isTrue();
            MemorySegment secret = arena.allocateFrom(JAVA_LONG, 0x1111111122222222L);
            ProcessMemory recycled = new ProcessMemory(own, process, () -> null);
            long[] got = new long[1];
            assertThatThrownBy(() -> recycled.gather(new long[] {secret.address()}, 1, got))
                    .isInstanceOf(MemoryFault.class);
            assertThatThrownBy(() -> recycled.readLongs(secret.address(), got, 1))
                    .isInstanceOf(MemoryFault.class);
            assertThat(got).containsExactly(0);
            assertThat(recycled.copy(secret.address(), arena.allocate(8, 8))).isEqualTo(-Errno.ESRCH);
            assertThat(recycled.isGone()).isTrue();
        }
    }

    @Test
    void gatherReadsWordsAtAnyAddress() throws MemoryFault {
        try (Arena arena = Arena.ofConfined()) {
            int words = 1 << 17;
            MemorySegment own = arena.allocate(JAVA_LONG, words);
            for (int i = 0; i < words; i++) {
                own.setAtIndex(JAVA_LONG, i, i * 0x9E3779B97F4A7C15L);
            }
            Random random = new Random(1);
            int count = 20_000;
            long[] addresses = new long[count];
            long[] expected = new long[count];
            int at = 0;
            for (int i = 0; i < count; i++) {
                // Mostly near the previous word, like two words of one structure; also before it, or the same word
                // again.
                at = random.nextInt(4) == 0
                        ? random.nextInt(words)
                        : Math.clamp(at + random.nextInt(100) - 30L, 0, words - 1);
                addresses[i] = own.address() + 8L * at;
                expected[i] = own.getAtIndex(JAVA_LONG, at);
            }
            long[] got = new long[count];
            memory.gather(addresses, count, got);
            assertThat(got).isEqualTo(expected);
        }
    }

    @Test
    void gatherReadsOverlappingWords() throws MemoryFault {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment own = arena.allocateFrom(JAVA_LONG, 0x1111111122222222L, 0x3333333344444444L);
            long[] got = new long[2];
            memory.gather(new long[] {own.address(), own.address() + 4}, 2, got);
            assertThat(got).containsExactly(0x1111111122222222L, 0x4444444411111111L);
        }
    }

    @Test
    void gatherFaultsAtTheUnreadableWord() {
        try (Arena arena = Arena.ofConfined()) {
            long good = arena.allocate(64, 8).address();
            assertThatThrownBy(() -> memory.gather(new long[] {good, good + 8, 8, good}, 4, new long[4]))
                    .isInstanceOf(MemoryFault.class)
                    .hasMessageContaining("0x8");
        }
    }
}
