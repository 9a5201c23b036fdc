package mayfly.linux.proc;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Syscall;

/** A short file of proc(5) that is kept open because it is read repeatedly. Belongs to one thread. */
public final class HeldProcFile implements AutoCloseable {
    private static final int MAX_LENGTH = 4096;

    private final Fd fd;
    private final MemorySegment text = Arena.ofAuto().allocate(MAX_LENGTH);

    private HeldProcFile(Fd fd) {
        this.fd = fd;
    }

    /**
     * Opens a file.
     *
     * @throws ErrnoException if it cannot be opened
     */
    public static HeldProcFile open(String path) throws ErrnoException {
        return new HeldProcFile(Open.readOnly(path));
    }

    /**
     * Returns its current content, without the final newline.
     *
     * @throws IOException if it cannot be read; ESRCH once the process has ended
     */
    public String line() throws IOException {
        long read = ErrnoException.check(
                "pread of a file in /proc",
                Syscall.call(SystemCall.PREAD64, fd.number(), text.address(), MAX_LENGTH, 0));
        byte[] bytes = text.asSlice(0, read).toArray(JAVA_BYTE);
        return new String(bytes, StandardCharsets.UTF_8).stripTrailing();
    }

    @Override
    public void close() {
        fd.close();
    }
}
