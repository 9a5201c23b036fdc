package mayfly.sampler;

import java.io.IOException;
import java.util.List;
import mayfly.linux.ReplacedProgram;
import mayfly.process.PagedMemory;
import mayfly.unwind.NativeCode;
import mayfly.unwind.Walker;

/**
 * What the target ran before its last execve(2), as long as samples of it wait to be walked: a script's shell, which had no
 * runtime. Belongs to one thread.
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
     * Returns true if all of its samples have been handed over. The first drain after its end takes what was there when that
     * drain began, and the program may have run on until it was found to have ended; the second has the rest.
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
