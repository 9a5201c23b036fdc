package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import mayfly.linux.abi.SystemCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SyscallTest {
    private static final int PAGE = 4096;
    private static final int PROT_READ = 1;
    private static final int MAP_PRIVATE = 2;

    @TempDir
    Path folder;

    @Test
    void capturedStateHasErrnoAtTheOffset() {
        var layout = Linker.Option.captureStateLayout();
        assertThat(layout.byteOffset(PathElement.groupElement("errno"))).isEqualTo(Syscall.ERRNO_OFFSET);
        assertThat(layout.select(PathElement.groupElement("errno"))).isEqualTo(JAVA_INT.withName("errno"));
    }

    @Test
    void failedCallReturnsItsErrnoNegated() {
        assertThat(Syscall.call(SystemCall.CLOSE, -1)).isEqualTo(-Errno.EBADF);
    }

    @Test
    void allSixArgumentsReachTheKernel() throws IOException {
        byte[] pages = new byte[2 * PAGE];
        ByteBuffer.wrap(pages).order(ByteOrder.nativeOrder()).putInt(PAGE, 42);
        Path file = Files.write(folder.resolve("two pages"), pages);
        long mapped;
        try (Fd fd = Open.readOnly(file.toString())) {
            mapped = Syscall.call(SystemCall.MMAP, 0, PAGE, PROT_READ, MAP_PRIVATE, fd.number(), PAGE);
        }
        assertThat(mapped).isPositive();
        try {
            assertThat(Syscall.intAt(mapped)).isEqualTo(42);
        } finally {
            Syscall.call(SystemCall.MUNMAP, mapped, PAGE, 0);
        }
    }
}
