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
            assumeTrue(latency.isGranted(), "needs root, and power management in the kernel");
            assertThat(current()).isZero();
            CpuLatency another = CpuLatency.lowest();
            another.close();
            assertThat(current()).as("the lowest of several requests applies").isZero();
        }
        assertThat(current()).as("after the last request is closed").isPositive();
    }

    /** Returns the lowest of all requests, in microseconds, as the kernel reports it. */
    private static int current() throws IOException {
        try (FileInputStream device = new FileInputStream("/dev/cpu_dma_latency")) {
            return ByteBuffer.wrap(device.readNBytes(Integer.BYTES))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .getInt();
        }
    }
}
