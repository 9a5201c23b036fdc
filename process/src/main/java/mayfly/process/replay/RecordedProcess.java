package mayfly.process.replay;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;

/**
 * A recorded process: its mappings, and the parts of its memory and files that were read while it was recorded. Every
 * other address faults.
 */
public final class RecordedProcess implements TargetProcess {
    private final ProcessSnapshot snapshot;

    public RecordedProcess(ProcessSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    /**
     * Reads a snapshot.
     *
     * @param architecture the CPU of the process; the files do not contain it
     * @param layers the contents of its files, in the order of reading: a later file overrides an earlier one
     * @throws BadSnapshot if the bytes are not a recorded process
     */
    public static RecordedProcess read(Architecture architecture, byte[]... layers) throws BadSnapshot {
        ProcessSnapshot snapshot = new ProcessSnapshot(architecture);
        for (byte[] layer : layers) {
            SnapshotFormat.read(layer, snapshot);
        }
        return new RecordedProcess(snapshot);
    }

    public ProcessSnapshot snapshot() {
        return snapshot;
    }

    @Override
    public Architecture architecture() {
        return snapshot.architecture();
    }

    @Override
    public int pid() {
        return snapshot.pid();
    }

    @Override
    public Memory memory() {
        return snapshot.memory();
    }

    @Override
    public List<Mapping> mappings() {
        return snapshot.mappings();
    }

    @Override
    public List<TargetThread> threads() {
        RecordedWalk walk = snapshot.walk();
        return walk == null ? List.of() : List.of(walk.thread());
    }

    @Override
    public MemorySegment file(Mapping mapping) throws IOException {
        for (RecordedFile file : snapshot.files()) {
            if (file.is(mapping)) {
                return file.image();
            }
        }
        throw new IOException(mapping.path() + " is not in the snapshot");
    }

    @Override
    public MemorySegment fileAt(String path) throws IOException {
        throw new IOException(path + " is not in the snapshot");
    }

    @Override
    public void close() {
        // There is nothing to close.
    }
}
