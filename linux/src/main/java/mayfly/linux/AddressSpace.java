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

/** The memory of a process and what is mapped there, as long as it has any, and longer if it is held. */
final class AddressSpace implements AutoCloseable {
    private final int pid;
    private final String proc;
    private final ThreadLocal<ProcessMemory> memory;
    private volatile @Nullable HeldAddressSpace held;
    /** Bytes of its maps that are read. */
    private volatile long mostText = Long.MAX_VALUE;
    /** Of the program whose memory is held. */
    private long stackStart;
    /** Whether memory was held once, so that it can be. */
    private boolean holds;

    /** Of a process whose directory in /proc this is. */
    AddressSpace(Pidfd process, String proc) {
        this.pid = process.pid();
        this.proc = proc;
        this.memory = ThreadLocal.withInitial(() -> new ProcessMemory(process, () -> held));
    }

    /** For the calling thread. */
    Memory memory() {
        return memory.get();
    }

    /** Whether the calling thread could not read it any more, because it is gone. */
    boolean isGone() {
        return memory.get().isGone();
    }

    List<Mapping> mappings() throws IOException {
        HeldAddressSpace kept = held;
        try {
            List<Mapping> mappings = Maps.read(proc + "/maps", mostText);
            if (!mappings.isEmpty()) {
                return mappings;
            }
        } catch (IOException e) {
            if (kept == null) {
                throw e;
            }
        }
        if (kept == null) {
            throw new IOException("process " + pid + " has no memory any more");
        }
        return kept.read(pid);
    }

    /** Passes on what is mapped now, one after the other: it takes no memory. */
    void forEachMapping(Consumer<Mapping> each) throws IOException {
        Maps.forEach(proc + "/maps", mostText, each);
    }

    /** From now on throws {@link ProcFileTooLarge} rather than read more of its maps than this. */
    void limit(long bytes) {
        mostText = bytes;
    }

    /** Keeps what the process has now, and no longer what it had; false where that is not permitted. */
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
            return now == start || now == 0; // one that is ending has none
        });
        holds |= held != null;
    }

    boolean isHeld() {
        return held != null;
    }

    /**
     * If memory was held, keeps that of the program that the process has become since by execve(2). In the middle of an execve
     * there is nothing to hold yet, so this is tried again.
     *
     * @return what was held of the program before, which the caller closes; null if there is nothing new
     */
    @Nullable HeldAddressSpace followExec(LiveProcess process) {
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

    /** Keeps it no longer. */
    @Override
    public void close() {
        HeldAddressSpace kept = held;
        held = null;
        if (kept != null) {
            kept.close();
        }
    }
}
