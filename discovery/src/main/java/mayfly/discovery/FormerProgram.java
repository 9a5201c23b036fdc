package mayfly.discovery;

import java.io.IOException;
import java.util.List;
import mayfly.linux.ReplacedProgram;
import mayfly.process.PagedMemory;
import mayfly.unwind.NativeCode;
import mayfly.unwind.Walker;

/**
 * The program that the target ran before its last execve(2), such as a script's shell. It is retained while samples of
 * it are waiting to be walked. It had no runtime. Confined to one thread.
 */
final class FormerProgram implements AutoCloseable {
    private final ReplacedProgram process;
    private final NativeCode code;
    private final Walker walker;
    private boolean last;

    /**
     * Reads the mappings of a program.
     *
     * @param process the program; closed with this object
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
     * Returns true at the end of the second drain after the execve was detected. The first drain takes the samples that
     * existed when it began. The program may have run on until the execve, so the second drain takes the rest.
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
