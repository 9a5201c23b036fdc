package mayfly.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import mayfly.attach.channel.HostRecord;
import mayfly.attach.channel.HostStatus;

/**
 * Any host record is parsed or refused. An input is the beginning of the record without the magic, as far as byte 544;
 * the rest are the slots of running callbacks.
 */
class HostRecordFuzzTest {
    private static final int SIZE = 8192;
    private static final int MAGIC = 8;
    private static final int BEGINNING = 544;
    private static final int SLOTS = 4096;

    @FuzzTest
    void record(byte[] input) {
        byte[] bytes = new byte[SIZE];
        System.arraycopy("MAYFLYH1".getBytes(StandardCharsets.US_ASCII), 0, bytes, 0, MAGIC);
        int first = Math.min(input.length, BEGINNING - MAGIC);
        System.arraycopy(input, 0, bytes, MAGIC, first);
        System.arraycopy(input, first, bytes, SLOTS, Math.min(input.length - first, SLOTS));
        try {
            HostRecord record = HostRecord.parse(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
            assertThat(record.channel()).hasSizeLessThanOrEqualTo(128);
            assertThat(record.profiler()).hasSizeLessThanOrEqualTo(256);
            assertThat(record.pinnedBy()).hasSizeLessThanOrEqualTo(1024);
            HostStatus status = HostStatus.of(record);
            assertThat(status.state()).isIn("initializing", "active", "detaching", "pinned");
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("record");
        }
        refused(Arrays.copyOf(bytes, SIZE - 1));
        refused(input);
    }

    private static void refused(byte[] bytes) {
        try {
            HostRecord.parse(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
            assertThat(bytes).hasSize(SIZE);
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("record");
        }
    }
}
