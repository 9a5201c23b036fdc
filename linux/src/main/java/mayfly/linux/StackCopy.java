package mayfly.linux;

import java.io.IOException;
import java.util.List;
import mayfly.process.Mapping;
import mayfly.process.MemoryFault;
import org.jspecify.annotations.Nullable;

/** Copies the stacks of the target's threads, each up to the end of the mapping that its stack pointer is in. */
final class StackCopy {
    private final LiveProcess target;
    private final ProcessMemory memory;
    /** As they were when a stack pointer was last in none of them. */
    private List<Mapping> mappings = List.of();

    StackCopy(LiveProcess target) {
        this.target = target;
        this.memory = new ProcessMemory(target.pid());
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

    /** Copies from the stack pointer upward to the end of the mapping if that is known, else to what can be read. */
    void copy(int maxStackBytes, ThreadSnapshot into) {
        long sp = into.registers().sp();
        int most = Math.min(maxStackBytes / 8, into.stack().length);
        Mapping known = mappingOf(sp);
        int words = known == null ? most : (int) Math.min(most, known.end() - sp >> 3);
        try {
            memory.readLongs(sp, into.stack(), words);
            into.stack(words, words == most);
        } catch (MemoryFault e) {
            copyPages(sp, words, into);
        }
    }

    /** Page by page up to the first that cannot be read. */
    private void copyPages(long sp, int words, ThreadSnapshot into) {
        int done = 0;
        long[] page = new long[512];
        while (done < words) {
            long at = sp + 8L * done;
            int part = (int) Math.min(words - done, Math.max(1, (4096 - (at & 4095)) >> 3));
            try {
                memory.readLongs(at, page, part);
            } catch (MemoryFault e) {
                break;
            }
            System.arraycopy(page, 0, into.stack(), done, part);
            done += part;
        }
        into.stack(done, false);
    }

    /** Cuts off what lies beyond the mapping of the stack, known only after the thread runs again. */
    void bound(ThreadSnapshot into) {
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
