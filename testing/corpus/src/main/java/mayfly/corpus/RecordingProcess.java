package mayfly.corpus;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import mayfly.arch.Architecture;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import mayfly.process.replay.ProcessSnapshot;

/**
 * A live process that records its memory, mappings and mapped files as they are read. {@link #close} does not close the
 * live process.
 */
final class RecordingProcess implements TargetProcess {
    private final TargetProcess live;
    private final ProcessSnapshot snapshot;
    private final Memory memory;
    private final Map<Mapping, MemorySegment> files = new LinkedHashMap<>();

    RecordingProcess(TargetProcess live, ProcessSnapshot snapshot) {
        this.live = live;
        this.snapshot = snapshot;
        this.memory = snapshot.record(live.memory());
        snapshot.pid(live.pid());
    }

    @Override
    public Architecture architecture() {
        return live.architecture();
    }

    @Override
    public int pid() {
        return live.pid();
    }

    @Override
    public Memory memory() {
        return memory;
    }

    /** Reads the mappings once, because a snapshot contains only one list. */
    @Override
    public List<Mapping> mappings() throws IOException {
        if (snapshot.mappings().isEmpty()) {
            snapshot.mappings(live.mappings());
        }
        return snapshot.mappings();
    }

    @Override
    public List<TargetThread> threads() throws IOException {
        return live.threads();
    }

    @Override
    public MemorySegment file(Mapping mapping) throws IOException {
        MemorySegment file = live.file(mapping);
        files.put(mapping, file);
        return file;
    }

    /** Does not record the file. Such files are read only for the names of functions, which are recorded. */
    @Override
    public MemorySegment fileAt(String path) throws IOException {
        return live.fileAt(path);
    }

    /** Returns the mapped files that were opened. */
    Map<Mapping, MemorySegment> files() {
        return files;
    }

    @Override
    public void close() {
        // The code that opened the live process closes it.
    }
}
