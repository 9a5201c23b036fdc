package mayfly.linux.trace;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessMemory;
import mayfly.process.Mapping;
import org.jspecify.annotations.Nullable;

/** Copies the stacks of the target's threads, each up to the end of the mapping that its stack pointer is in. */
public final class StackCopy {
    /** So much is copied between two looks at the clock; of most stacks it is all. */
    private static final int PIECE_WORDS = 8192;

    private final LiveProcess target;
    private final ProcessMemory memory;
    private final StopClock clock;
    private final MemorySegment room = Arena.ofAuto().allocate(8L * PIECE_WORDS, 8);
    /** As they were when a stack pointer was last in none of them. */
    private List<Mapping> mappings = List.of();

    /** Copies without a limit. */
    StackCopy(LiveProcess target) {
        this(target, new StopClock(() -> 0));
    }

    /**
     * @param clock says when the limit is reached of the stop for which a stack is copied
     */
    public StackCopy(LiveProcess target, StopClock clock) {
        this.target = target;
        this.clock = clock;
        this.memory = target.presentMemory();
    }

    /** Reads the mappings now, so that the first copy need not try. */
    void refresh() {
        try {
            mappings = target.mappings();
        } catch (IOException e) {
            mappings = List.of();
        }
    }

    /** How many bytes there are from a stack pointer to the end of its mapping; -1 if it is in none that is known. */
    long bytesAbove(long sp) {
        Mapping mapping = mappingOf(sp);
        return mapping == null ? -1 : mapping.end() - sp;
    }

    /**
     * Copies from the stack pointer upward to the end of the mapping if that is known, else to what can be read; but no
     * more once the stop has reached its limit.
     */
    public void copy(int maxStackBytes, ThreadSnapshot into) {
        long sp = into.registers().sp();
        int most = Math.min(maxStackBytes / 8, into.stack().length);
        Mapping known = mappingOf(sp);
        int words = known == null ? most : (int) Math.min(most, known.end() - sp >> 3);
        int done = 0;
        boolean limited = false;
        boolean readable = true;
        while (done < words && readable && !limited) {
            int piece = Math.min(PIECE_WORDS, words - done);
            int copied = copyPiece(sp + 8L * done, done, piece, into.stack());
            readable = copied == piece;
            done += copied;
            limited = clock.isLimitReached();
        }
        into.stack(done, readable && (done == most || done < words));
    }

    /** Copies so many words, or those up to the first page that cannot be read; returns how many. */
    private int copyPiece(long address, int at, int words, long[] to) {
        int copied = copyWhole(address, at, words, to);
        // The kernel need not copy a part of what it was asked for.
        while (copied < words) {
            long next = address + 8L * copied;
            int ofPage = (int) Math.min(words - copied, Math.max(1, (4096 - (next & 4095)) >> 3));
            int more = copyWhole(next, at + copied, ofPage, to);
            if (more == 0) {
                return copied;
            }
            copied += more;
        }
        return copied;
    }

    private int copyWhole(long address, int at, int words, long[] to) {
        long read = memory.copy(address, room.asSlice(0, 8L * words));
        int copied = (int) Math.max(0, read >> 3);
        MemorySegment.copy(room, JAVA_LONG, 0, to, at, copied);
        return copied;
    }

    /** Cuts off what lies beyond the mapping of the stack, known only after the thread runs again. */
    public void bound(ThreadSnapshot into) {
        long sp = into.registers().sp();
        Mapping mapping = mappingOf(sp);
        if (mapping == null) {
            refresh();
            mapping = mappingOf(sp);
        }
        long bound = mapping == null ? 0 : mapping.end() - sp >> 3;
        if (into.stackWords() >= bound) {
            into.stack((int) bound, false);
        }
    }

    private @Nullable Mapping mappingOf(long sp) {
        int low = 0;
        int high = mappings.size() - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            Mapping mapping = mappings.get(middle);
            if (mapping.contains(sp)) {
                return mapping;
            }
            if (Long.compareUnsigned(sp, mapping.start()) < 0) {
                high = middle - 1;
            } else {
                low = middle + 1;
            }
        }
        return null;
    }
}
