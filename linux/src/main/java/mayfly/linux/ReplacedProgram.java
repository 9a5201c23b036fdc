package mayfly.linux;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.linux.sys.Cpu;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;

/**
 * The program that a process ran before its last execve(2): its held memory and mappings, used for samples taken from
 * it. It has no threads any more. Belongs to one thread.
 */
public final class ReplacedProgram implements TargetProcess {
    private final LiveProcess process;
    private final HeldAddressSpace held;
    private final ProcessMemory memory;

    ReplacedProgram(LiveProcess process, HeldAddressSpace held) {
        this.process = process;
        this.held = held;
        this.memory = new ProcessMemory(held);
    }

    @Override
    public Architecture architecture() {
        return Cpu.ABI.architecture();
    }

    @Override
    public int pid() {
        return process.pid();
    }

    @Override
    public Memory memory() {
        return memory;
    }

    @Override
    public List<Mapping> mappings() throws IOException {
        return held.read(process.pid());
    }

    @Override
    public List<TargetThread> threads() {
        return List.of();
    }

    @Override
    public MemorySegment file(Mapping mapping) throws IOException {
        return process.file(mapping);
    }

    @Override
    public MemorySegment fileAt(String path) throws IOException {
        return process.fileAt(path);
    }

    /** Releases the memory. Files returned earlier stay valid until the process is closed. */
    @Override
    public void close() {
        held.close();
    }
}
