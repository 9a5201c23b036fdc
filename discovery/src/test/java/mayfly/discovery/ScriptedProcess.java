package mayfly.discovery;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.process.KernelThreads;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import org.jspecify.annotations.Nullable;

/** A process with mappings and without threads, whose files and memory cannot be read. */
final class ScriptedProcess implements TargetProcess, KernelThreads, Memory {
    private final List<Mapping> mappings = new ArrayList<>();

    /** Adds an executable mapping of a file. */
    ScriptedProcess map(long start, String path) {
        mappings.add(new Mapping(start, start + 0x1000, true, false, true, 0, "08:01", start >> 12, path));
        mappings.sort((one, other) -> Long.compareUnsigned(one.start(), other.start()));
        return this;
    }

    @Override
    public Architecture architecture() {
        return X86_64.ARCHITECTURE;
    }

    @Override
    public int pid() {
        return 42;
    }

    @Override
    public Memory memory() {
        return this;
    }

    @Override
    public List<Mapping> mappings() {
        return List.copyOf(mappings);
    }

    @Override
    public List<TargetThread> threads() {
        return List.of();
    }

    @Override
    public @Nullable TargetThread threadByInnermostTid(int tid) {
        return null;
    }

    @Override
    public long nowTicks() {
        return 0;
    }

    @Override
    public MemorySegment file(Mapping mapping) throws IOException {
        throw new IOException("no file");
    }

    @Override
    public MemorySegment fileAt(String path) throws IOException {
        throw new IOException("no file");
    }

    @Override
    public void read(long address, byte[] into, int offset, int length) throws MemoryFault {
        throw new MemoryFault(address, length);
    }

    @Override
    public void close() {
        // It holds no resources.
    }
}
