package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * A request for the lowest latency of the CPUs, in force until it is closed: an idle CPU then polls for work instead of
 * sleeping. See Documentation/power/pm_qos_interface.rst in the kernel's sources, /dev/cpu_dma_latency.
 *
 * <p>To stop a thread that sleeps wakes it, and to wake a CPU may take several times as long as what is then done
 * with the thread. The kernel withdraws the request with the last descriptor of it, however we end.
 */
public final class CpuLatency implements AutoCloseable {
    private static final String DEVICE = "/dev/cpu_dma_latency";

    private final @Nullable Fd request;

    private CpuLatency(@Nullable Fd request) {
        this.request = request;
    }

    /** Asks for it. Who may not ask, which is for root alone, gets an object that changes nothing. */
    public static CpuLatency lowest() {
        Fd device;
        try {
            device = Open.writeOnly(DEVICE);
        } catch (ErrnoException e) {
            return new CpuLatency(null);
        }
        try (Arena arena = Arena.ofConfined()) {
            long micros = arena.allocateFrom(JAVA_INT, 0).address();
            if (Syscall.call(Syscall.WRITE, device.number(), micros, JAVA_INT.byteSize()) >= 0) {
                return new CpuLatency(device);
            }
        }
        device.close();
        return new CpuLatency(null);
    }

    /** Whether the request is in force. */
    boolean isGranted() {
        return request != null;
    }

    @Override
    public void close() {
        Fd device = request;
        if (device != null) {
            device.close();
        }
    }
}
