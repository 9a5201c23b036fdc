package mayfly.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import mayfly.arch.x86.X86_64;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import org.junit.jupiter.api.Test;

class KnownRootsTest {
    private static final long TOP = 0x7ffc_0000_0000L;
    private static final int TID = 7;

    private final Map<Long, Long> words = new HashMap<>();
    private final Memory stack = (address, to, offset, length) -> {
        Long word = words.get(address);
        if (word == null) {
            throw new MemoryFault(address, length);
        }
        for (int i = 0; i < length; i++) {
            to[offset + i] = (byte) (word >>> 8 * i);
        }
    };
    private final KnownRoots roots = new KnownRoots(X86_64.ARCHITECTURE);

    private static long sp(int level) {
        return TOP - 64L * level;
    }

    private static long pc(int level) {
        return 0x1000 + level;
    }

    /** Walks the given number of frames; the outermost one has level 0. */
    private void walk(int frames) {
        roots.begin();
        for (int level = frames - 1; level >= 0; level--) {
            words.put(sp(level) - 8, pc(level));
            Registers frame = new Registers(X86_64.ARCHITECTURE);
            frame.set(X86_64.RSP, sp(level));
            frame.set(X86_64.RIP, pc(level));
            roots.at(frame);
            roots.at(frame); // a method inlined into the same frame
        }
        roots.reached(TID, stack);
    }

    private long found(long above) {
        Registers found = roots.find(TID, above, stack);
        return found == null ? -1 : found.pc();
    }

    @Test
    void threadWithoutACompleteWalkHasNoKnownRoot() {
        assertThat(roots.knows(TID)).isFalse();
        assertThat(found(0)).isEqualTo(-1);
    }

    @Test
    void innermostUnchangedFrameIsFound() {
        walk(1000);
        assertThat(roots.knows(TID)).isTrue();
        assertThat(found(sp(1000))).isEqualTo(pc(31));
        assertThat(found(sp(10)))
                .as("the walk has passed those of higher levels")
                .isEqualTo(pc(9));
        walk(3);
        assertThat(found(sp(1000))).isEqualTo(pc(2));
    }

    @Test
    void frameInsideOneThatChangedIsNotFound() {
        walk(100);
        words.put(sp(5) - 8, 0L);
        assertThat(found(sp(1000))).isEqualTo(pc(4));
        words.remove(sp(0) - 8);
        assertThat(found(sp(1000))).as("the outermost cannot be read").isEqualTo(-1);
    }

    /** An interpreted caller's stack pointer lies above the parameters of its callee. */
    @Test
    void returnAddressBelowParametersIsFound() {
        roots.begin();
        Registers frame = new Registers(X86_64.ARCHITECTURE);
        frame.set(X86_64.RSP, TOP);
        frame.set(X86_64.RIP, 77);
        words.put(TOP - 8, 1L);
        words.put(TOP - 16, 2L);
        words.put(TOP - 24, 77L);
        roots.at(frame);
        roots.reached(TID, stack);
        assertThat(found(TOP - 800)).isEqualTo(77);
    }
}
