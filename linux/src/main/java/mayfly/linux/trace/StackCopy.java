package mayfly.linux.trace;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessMemory;
import mayfly.linux.sys.Cpu;
import mayfly.process.Mapping;
import org.jspecify.annotations.Nullable;

/** Copies stacks of the target's threads, each up to the end of the mapping that contains its stack pointer. */
public final class StackCopy {
    /** Words copied between two checks of the clock; for most stacks, this is the whole stack. */
    private static final int PIECE_WORDS = 8192;

    private static final int PAGE = Cpu.ABI.architecture().pageSize();

    private final LiveProcess target;
    private final ProcessMemory memory;
    private final StopClock clock;
    private final MemorySegment room = Arena.ofAuto().allocate(8L * PIECE_WORDS, 8);
    /** The mappings, read when a stack pointer was last outside all known ones. */
    private List<Mapping> mappings = List.of();

    /** Creates a copier without a time limit. */
    public StackCopy(LiveProcess target) {
        this(target, new StopClock(() -> 0));
    }

    /**
     * @param clock reports when the stop during which a stack is copied has reached its limit
     */
    public StackCopy(LiveProcess target, StopClock clock) {
        this.target = target;
        this.clock = clock;
        this.memory = target.presentMemory();
    }

    /** Reads the mappings now, so that the first copy does not have to. */
    void refresh() {
        try {
            mappings = target.mappings();
        } catch (IOException e) {
            mappings = List.of();
        }
    }

    /** Returns the number of bytes from a stack pointer to the end of its mapping; -1 if the mapping is unknown. */
    long bytesAbove(long sp) {
        Mapping mapping = mappingOf(sp);
        return mapping == null ? -1 : mapping.end() - sp;
    }

    /**
     * Copies from the stack pointer upward to the end of the mapping if it is known, else up to the first unreadable
     * page. The copy ends early when the stop of the thread has reached its time limit.
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

    /**
     * Copies the given number of words, or those up to the first unreadable page; returns the number of copied words.
     */
    private int copyPiece(long address, int at, int words, long[] to) {
        int copied = copyWhole(address, at, words, to);
        // The kernel may copy less than requested.
        while (copied < words) {
            long next = address + 8L * copied;
            int ofPage = (int) Math.min(words - copied, Math.max(1, (PAGE - (next & PAGE - 1)) >> 3));
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

    /** Removes words beyond the mapping of the stack, which is known only after the thread runs again. */
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
