package mayfly.linux;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import org.jspecify.annotations.Nullable;

/** The memory of a process and what is mapped there, as long as it has any, and longer if it is held. */
final class AddressSpace implements AutoCloseable {
    private final int pid;
    private final String proc;
    private final ThreadLocal<ProcessMemory> memory;
    private volatile @Nullable HeldAddressSpace held;
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
            List<Mapping> mappings = Maps.read(proc + "/maps");
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
        try (InputStream text = kept.mappings()) {
            return Maps.read(text, "the kept maps of process " + pid);
        }
    }

    /** Keeps what the process has now, and no longer what it had; false where that is not permitted. */
    boolean hold(LiveProcess process) {
        HeldAddressSpace before = held;
        long start = stackStart();
        stackStart = start;
        held = HeldAddressSpace.of(process, () -> {
            long now = stackStart();
            return now == start || now == 0; // one that is ending has none
        });
        holds |= held != null;
        if (before != null) {
            before.close();
        }
        return held != null;
    }

    boolean isHeld() {
        return held != null;
    }

    /**
     * If memory was held, keeps that of the program that the process has become since by execve(2). In the middle of an execve
     * there is nothing to hold yet, so this is tried again.
     */
    void followExec(LiveProcess process) {
        long now = holds ? stackStart() : 0;
        if (now != 0 && (held == null || now != stackStart)) {
            hold(process);
        }
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
