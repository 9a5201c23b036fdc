package mayfly.attach.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JvmCapabilitiesTest {
    private static final int ENTRY = 20;

    /** Counters as a JVM writes them: a prologue of 32 bytes, then entries with their names and values. */
    private static ByteBuffer counters(String... namesAndValues) {
        ByteBuffer counters = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
        counters.put(0, new byte[] {(byte) 0xca, (byte) 0xfe, (byte) 0xc0, (byte) 0xc0});
        counters.putInt(24, 32);
        counters.putInt(28, namesAndValues.length / 2);
        int at = 32;
        for (int i = 0; i < namesAndValues.length; i += 2) {
            byte[] name = (namesAndValues[i] + "\0").getBytes(StandardCharsets.US_ASCII);
            byte[] value = (namesAndValues[i + 1] + "\0").getBytes(StandardCharsets.US_ASCII);
            counters.putInt(at, ENTRY + name.length + value.length);
            counters.putInt(at + 4, ENTRY);
            counters.putInt(at + 16, ENTRY + name.length);
            counters.put(at + ENTRY, name).put(at + ENTRY + name.length, value);
            at += ENTRY + name.length + value.length;
        }
        return counters;
    }

    @Test
    void firstCharacterOfJvmCapabilitiesCounterIsRead() {
        assertThat(JvmCapabilities.first(counters("sun.ci.x", "7", "sun.rt.jvmCapabilities", "1100")))
                .isEqualTo('1');
        assertThat(JvmCapabilities.first(counters("sun.rt.jvmCapabilities", "0100", "sun.rt.jvmCapabilitiesToo", "1")))
                .isEqualTo('0');
        assertThat(JvmCapabilities.first(counters("sun.rt.jvmCapabilitiesToo", "1")))
                .isEqualTo('\0');
    }

    /** The memory of a target may contain any data. */
    @Test
    void damagedPerformanceCountersAreReadSafely() {
        Random random = new Random(1);
        byte[] whole =
                counters("sun.ci.x", "7", "sun.rt.jvmCapabilities", "1100").array();
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = whole.clone();
            for (int change = 0; change < 4; change++) {
                bytes[4 + random.nextInt(120)] = (byte) random.nextInt();
            }
            ByteBuffer damaged = ByteBuffer.wrap(bytes, 0, bytes.length).order(ByteOrder.LITTLE_ENDIAN);
            assertThat(JvmCapabilities.first(damaged)).isLessThan((char) 256);
        }
        assertThat(JvmCapabilities.first(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN)))
                .isEqualTo('\0');
    }
}
