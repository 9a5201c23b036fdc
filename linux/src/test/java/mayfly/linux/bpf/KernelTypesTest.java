package mayfly.linux.bpf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalInt;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class KernelTypesTest {
    private static final String STRINGS = "\0long\0task_struct\0thread\0thread_struct\0fsbase\0state\0";

    /** Types 1 to 3: long, thread_struct {state 0, fsbase 40}, task_struct {state 0, thread 9216}. */
    private static byte[] file(int fsBaseBits) {
        ByteBuffer types = ByteBuffer.allocate(4 + 12 + 2 * (12 + 24)).order(ByteOrder.LITTLE_ENDIAN);
        types.putInt(name("long")).putInt(1 << 24).putInt(8).putInt(64);
        types.putInt(name("thread_struct"))
                .putInt(4 << 24 | 2)
                .putInt(64)
                .putInt(name("state"))
                .putInt(1)
                .putInt(0)
                .putInt(name("fsbase"))
                .putInt(1)
                .putInt(fsBaseBits);
        types.putInt(name("task_struct"))
                .putInt(1 << 31 | 4 << 24 | 2)
                .putInt(9300)
                .putInt(name("state"))
                .putInt(1)
                .putInt(5 << 24)
                .putInt(name("thread"))
                .putInt(2)
                .putInt(9216 * 8);
        byte[] strings = STRINGS.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(24 + types.capacity() + strings.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) 0xEB9F)
                .put((byte) 1)
                .put((byte) 0)
                .putInt(24)
                .putInt(0)
                .putInt(types.capacity())
                .putInt(types.capacity())
                .putInt(strings.length)
                .put(types.array())
                .put(strings)
                .array();
    }

    private static int name(String name) {
        return STRINGS.indexOf('\0' + name + '\0') + 1;
    }

    private static OptionalInt offset(byte[] file) {
        return KernelTypes.offsetOfThreadPointer(ByteBuffer.wrap(file));
    }

    @Test
    void fsBaseOffsetIsTheSumOfItsStructOffsets() {
        assertThat(offset(file(40 * 8))).hasValue(9216 + 40);
    }

    @Test
    void anOffsetThatIsNoWholeByteIsRefused() {
        assertThat(offset(file(41))).isEmpty();
    }

    @Test
    void truncatedBtfFileHasNoOffset() {
        byte[] whole = file(40 * 8);
        for (int length = 0; length < whole.length - "fsbase\0state\0".length(); length++) {
            OptionalInt offset = offset(Arrays.copyOf(whole, length));
            assertThat(offset).as("%d bytes", length).isEmpty();
        }
    }

    @Test
    void btfFileWithAFlippedBitEndsInAnOffsetOrNone() {
        byte[] whole = file(40 * 8);
        for (int i = 0; i < whole.length * 8; i++) {
            byte[] changed = whole.clone();
            changed[i / 8] ^= (byte) (1 << i % 8);
            OptionalInt offset = offset(changed);
            assertThat(offset.orElse(0)).as("bit %d", i).isNotNegative();
        }
    }

    @Test
    void offsetOfTheRunningKernelFitsABpfInstruction() {
        Path file = Path.of("/sys/kernel/btf/vmlinux");
        Assumptions.assumeTrue(Files.isReadable(file), "this kernel does not publish its types");
        assertThat(KernelTypes.offsetOfThreadPointer().orElseThrow())
                .isBetween(1, (int) Short.MAX_VALUE)
                .matches(offset -> offset % 8 == 0, "a multiple of 8");
    }
}
