package mayfly.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import mayfly.linux.sys.Fd;
import mayfly.process.Mapping;

/** The files that a process has mapped. Each is mapped into this process once, until this object is closed. */
final class MappedFiles implements AutoCloseable {
    private final Fd directory;
    private final Fd root;
    private final Arena arena = Arena.ofShared();
    private final Map<String, MemorySegment> mapped = new HashMap<>();
    private volatile boolean avoidsPaths;

    /**
     * @param directory the process's directory in /proc
     * @param root its root directory
     */
    MappedFiles(Fd directory, Fd root) {
        this.directory = directory;
        this.root = root;
    }

    /** Stops following paths of the process. */
    void avoidPaths() {
        avoidsPaths = true;
    }

    MemorySegment file(Mapping mapping) throws IOException {
        String key = mapping.device() + " " + mapping.inode() + " " + mapping.path();
        synchronized (mapped) {
            MemorySegment known = mapped.get(key);
            if (known == null) {
                known = MappedFile.map(directory.path(), root, mapping, arena, avoidsPaths);
                mapped.put(key, known);
            }
            return known;
        }
    }

    Fd open(Mapping mapping) throws IOException {
        return MappedFile.open(directory.path(), root, mapping, avoidsPaths);
    }

    MemorySegment fileAt(String path) throws IOException {
        if (avoidsPaths) {
            throw new IOException(path + ": no path of another user's process is followed");
        }
        return MappedFile.mapAt(root, path, arena);
    }

    @Override
    public void close() {
        synchronized (mapped) {
            if (arena.scope().isAlive()) {
                mapped.clear();
                arena.close();
            }
        }
    }
}
