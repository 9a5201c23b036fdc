package mayfly.record;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import mayfly.unwind.NativeCode;

/** A process without mappings and threads, all of whose memory is zero. */
final class NoFiles implements TargetProcess {
    static final Memory ZEROS = (address, to, offset, length) -> Arrays.fill(to, offset, offset + length,
            (byte) 0);

    static NativeCode code() {
        try {
            return NativeCode.of(new NoFiles());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public int pid() {
        return 42;
    }

    @Override
    public Architecture architecture() {
        return X86_64.ARCHITECTURE;
    }

    @Override
    public Memory memory() {
        return ZEROS;
    }

    @Override
    public List<Mapping> mappings() {
        return List.of();
    }

    @Override
    public List<TargetThread> threads() {
        return List.of();
    }

    @Override
    public MemorySegment file(Mapping mapping) throws IOException {
        throw new IOException("no files");
    }

    @Override
    public MemorySegment fileAt(String path) throws IOException {
        throw new IOException("no files");
    }

    @Override
    public void close() {
        // nothing is open
    }
}
