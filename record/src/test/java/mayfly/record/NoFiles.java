package mayfly.record;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import mayfly.arch.x86.X86_64;
import mayfly.process.Memory;
import mayfly.process.replay.ProcessSnapshot;
import mayfly.process.replay.RecordedProcess;
import mayfly.unwind.NativeCode;

/** The code and the memory of a process without mappings: all of its memory is zero. */
final class NoFiles {
    static final Memory ZEROS = (address, to, offset, length) -> Arrays.fill(to, offset, offset + length, (byte) 0);

    private NoFiles() {}

    static NativeCode code() {
        try {
            return NativeCode.of(new RecordedProcess(new ProcessSnapshot(X86_64.ARCHITECTURE)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
