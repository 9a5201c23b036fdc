package mayfly.corpus;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import mayfly.arch.Architecture;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import mayfly.process.replay.RecordedProcess;

/** A recorded process with some changed bytes of memory, which counts its reads. */
final class ChangedProcess implements TargetProcess, Memory {
    private final RecordedProcess process;
    private final NavigableMap<Long, Byte> changed = new TreeMap<>();
    private final Map<Long, Integer> noise = new HashMap<>();
    private long reads;

    ChangedProcess(RecordedProcess process) {
        this.process = process;
    }

    /** Changes a word. Reads outside the snapshot still fault. */
    ChangedProcess with(long address, long word) {
        for (int i = 0; i < Long.BYTES; i++) {
            changed.put(address + i, (byte) (word >>> 8 * i));
        }
        return this;
    }

    /** Changes the first byte that a read returns, by XOR with {@code difference}. Reads are numbered from 1. */
    ChangedProcess withNoise(long read, int difference) {
        noise.put(read, difference);
        return this;
    }

    long reads() {
        return reads;
    }

    @Override
    public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
        reads++;
        process.memory().read(address, to, offset, length);
        changed.subMap(address, address + length).forEach((at, value) -> to[offset + (int) (at - address)] = value);
        if (length > 0) {
            to[offset] ^= noise.getOrDefault(reads, 0).byteValue();
        }
    }

    @Override
    public Memory memory() {
        return this;
    }

    @Override
    public Architecture architecture() {
        return process.architecture();
    }

    @Override
    public int pid() {
        return process.pid();
    }

    @Override
    public List<Mapping> mappings() {
        return process.mappings();
    }

    @Override
    public List<TargetThread> threads() {
        return process.threads();
    }

    @Override
    public MemorySegment file(Mapping mapping) throws IOException {
        return process.file(mapping);
    }

    @Override
    public MemorySegment fileAt(String path) throws IOException {
        return process.fileAt(path);
    }

    @Override
    public void close() {
        process.close();
    }
}
