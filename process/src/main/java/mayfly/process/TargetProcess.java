package mayfly.process;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import mayfly.arch.Architecture;

/** A traced process, live or recorded. */
public interface TargetProcess extends AutoCloseable {

    /** Its process id in the caller's pid namespace. */
    int pid();

    /** The CPU that it runs on. */
    Architecture architecture();

    /** Its memory, uncached. */
    Memory memory();

    /** Its mappings, by address. The list is read anew at each call. */
    List<Mapping> mappings() throws IOException;

    /** Its threads, read anew at each call. A thread that goes away meanwhile is left out. */
    List<TargetThread> threads() throws IOException;

    /**
     * The whole contents of a mapped file, read-only, valid until this process is closed.
     *
     * <p>It is the very file that is mapped: a file of the same name that is not the same file is refused. Reading it
     * may fail later with an {@link InternalError} if somebody truncates it.
     *
     * @throws IOException if the file cannot be had: not permitted, deleted, replaced, not a regular file
     */
    MemorySegment file(Mapping mapping) throws IOException;

    /**
     * The whole contents of a file by its path in the process's own file system, read-only, valid until this process is
     * closed. Links in the path do not lead out of its root directory.
     *
     * <p>It is whatever is there now: who asks must know it by its contents. Reading it may fail later with an
     * {@link InternalError} if somebody truncates it.
     *
     * @throws IOException if there is none, or it cannot be had: not permitted, not a regular file
     */
    MemorySegment fileAt(String path) throws IOException;

    @Override
    void close();
}
