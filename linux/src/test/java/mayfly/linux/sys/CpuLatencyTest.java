package mayfly.linux.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("privileged")
class CpuLatencyTest {
    @Test
    void latencyRequestHoldsUntilItIsClosed() throws IOException {
        try (CpuLatency latency = CpuLatency.lowest()) {
            assumeTrue(latency.isGranted(), "only root may ask for a latency, where the kernel has power management");
            assertThat(current()).isZero();
            CpuLatency another = CpuLatency.lowest();
            another.close();
            assertThat(current()).as("of several requests the lowest counts").isZero();
        }
        assertThat(current()).as("once nobody asks any more").isPositive();
    }

    /** Returns the lowest of all requests, in microseconds, as the kernel reports it. */
    private static int current() throws IOException {
        try (FileInputStream device = new FileInputStream("/dev/cpu_dma_latency")) {
            return ByteBuffer.wrap(device.readNBytes(Integer.BYTES)).order(ByteOrder.LITTLE_ENDIAN).getInt();
        }
    }
}
