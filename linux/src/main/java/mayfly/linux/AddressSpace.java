package mayfly.linux;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import mayfly.linux.proc.Maps;
import mayfly.linux.proc.ProcFile;
import mayfly.linux.proc.ProcFileTooLarge;
import mayfly.linux.proc.Stat;
import mayfly.linux.sys.Pidfd;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import org.jspecify.annotations.Nullable;

/** The memory and the mappings of a process, readable until the process loses them, or longer if the memory is held. */
final class AddressSpace implements AutoCloseable {
    /** Upper bound on the number of reads of the maps, for a process that calls execve(2) during each read. */
    private static final int MAX_READS = 10;

    private final int pid;
    private final String proc;
    private final ThreadLocal<ProcessMemory> memory;
    private volatile @Nullable HeldAddressSpace held;
    /** Upper bound on the bytes of maps text that are read. */
    private volatile long maxText = Long.MAX_VALUE;
    /** The stack start (proc_pid_stat(5), field 28) of the program whose memory is held. */
    private long stackStart;
    /** True if memory was held before, so holding is permitted. */
    private boolean holds;

    /** Creates the address space of the process with the given directory in /proc. */
    AddressSpace(Pidfd process, String proc) {
        this.pid = process.pid();
        this.proc = proc;
        this.memory = ThreadLocal.withInitial(() -> new ProcessMemory(process, () -> held));
    }

    /** Returns a reader for the calling thread. */
    Memory memory() {
        return memory.get();
    }

    /** Returns true if a read by the calling thread failed because the address space no longer exists. */
    boolean isGone() {
        return memory.get().isGone();
    }

    List<Mapping> mappings() throws IOException {
        HeldAddressSpace kept = held;
        try {
            // An execve(2) between open and read empties the file that was opened. A file opened later has the mappings
            // of the new program.
            for (int i = 0; i < MAX_READS; i++) {
                List<Mapping> mappings = Maps.read(proc + "/maps", maxText);
                if (!mappings.isEmpty()) {
                    return mappings;
                }
            }
        } catch (IOException e) {
            if (kept == null) {
                throw e;
            }
        }
        if (kept == null) {
            throw new MemoryGone(pid);
        }
        return kept.read(pid);
    }

    /** Passes each current mapping to a consumer. The mappings are not collected in memory. */
    void forEachMapping(Consumer<Mapping> each) throws IOException {
        Maps.forEach(proc + "/maps", maxText, each);
    }

    /** Sets the bound on the maps text; reading more than this throws {@link ProcFileTooLarge}. */
    void limit(long bytes) {
        maxText = bytes;
    }

    /**
     * Holds the present memory of the process and releases the memory held before. Returns false if this is not
     * permitted.
     */
    boolean hold(LiveProcess process) {
        HeldAddressSpace before = held;
        begin(process);
        if (before != null) {
            before.close();
        }
        return held != null;
    }

    private void begin(LiveProcess process) {
        long start = stackStart();
        stackStart = start;
        held = HeldAddressSpace.of(process, () -> {
            long now = stackStart();
            return now == start || now == 0; // a process that is ending has no stack start
        });
        holds |= held != null;
    }

    boolean isHeld() {
        return held != null;
    }

    /**
     * If memory is held and the process has called execve(2) since, holds the memory of the new program. In the middle
     * of an execve there is nothing to hold yet; a later call tries again.
     *
     * @return the memory held for the previous program, which the caller closes; null if the program is still the same
     */
    @Nullable
    HeldAddressSpace followExec(LiveProcess process) {
        long now = holds ? stackStart() : 0;
        if (now == 0 || held != null && now == stackStart) {
            return null;
        }
        HeldAddressSpace before = held;
        begin(process);
        return before;
    }

    private long stackStart() {
        try {
            return Stat.stackStart(ProcFile.line(proc + "/stat"));
        } catch (IOException e) {
            return 0;
        }
    }

    /** Releases the held memory. */
    @Override
    public void close() {
        HeldAddressSpace kept = held;
        held = null;
        if (kept != null) {
            kept.close();
        }
    }
}
