package mayfly.process;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import mayfly.arch.Architecture;

/** A target process, live or recorded. */
public interface TargetProcess extends AutoCloseable {

    /** Returns its process id in the caller's pid namespace. */
    int pid();

    /** Returns the CPU that it runs on. */
    Architecture architecture();

    /** Returns its memory, without a cache. */
    Memory memory();

    /**
     * Returns its mappings, by address. The list is read again at each call.
     *
     * @throws IOException if the process has ended, or its mappings cannot be read
     */
    List<Mapping> mappings() throws IOException;

    /**
     * Returns its threads, read again at each call. A thread that ends meanwhile is omitted.
     *
     * @throws IOException if the process has ended, or its threads cannot be listed
     */
    List<TargetThread> threads() throws IOException;

    /**
     * Returns the complete contents of a mapped file, read-only, valid until this process is closed.
     *
     * <p>The contents are those of the mapped file: if its path now leads to another file, this method throws. A later
     * read may fail with an {@link InternalError} if the file is truncated.
     *
     * @throws IOException if the file is not accessible: not permitted, deleted, replaced, not a regular file
     */
    MemorySegment file(Mapping mapping) throws IOException;

    /**
     * Returns the complete contents of a file by its path in the process's own file system, read-only, valid until this
     * process is closed. Links in the path do not lead out of its root directory.
     *
     * <p>The contents are those of the file that currently has this path. The caller must verify that it is the
     * expected file. A later read may fail with an {@link InternalError} if the file is truncated.
     *
     * @throws IOException if the file does not exist or is not accessible: not permitted, not a regular file
     */
    MemorySegment fileAt(String path) throws IOException;

    @Override
    void close();
}
