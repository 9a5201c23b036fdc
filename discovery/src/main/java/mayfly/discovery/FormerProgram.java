package mayfly.discovery;

import java.io.IOException;
import java.util.List;
import mayfly.linux.ReplacedProgram;
import mayfly.process.PagedMemory;
import mayfly.unwind.NativeCode;
import mayfly.unwind.Walker;

/**
 * The program that the target ran before its last execve(2), such as a script's shell. It is kept while samples of it wait to
 * be walked. It had no runtime. Belongs to one thread.
 */
final class FormerProgram implements AutoCloseable {
    private final ReplacedProgram process;
    private final NativeCode code;
    private final Walker walker;
    private boolean last;

    /**
     * Reads the mappings of a program.
     *
     * @param process is closed with this
     */
    FormerProgram(ReplacedProgram process) throws IOException {
        this.process = process;
        code = NativeCode.of(process);
        walker = new Walker(new PagedMemory(process.memory()), process.memory(), code, List.of());
    }

    Walker walker() {
        return walker;
    }

    NativeCode code() {
        return code;
    }

    /**
     * Returns true at the end of the second drain after the execve was found. The first one takes the samples that were there
     * when it began; the program may have run on until the execve, so the second takes the rest.
     */
    boolean isDrained() {
        boolean drained = last;
        last = true;
        return drained;
    }

    @Override
    public void close() {
        process.close();
    }
}
