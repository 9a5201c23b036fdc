package mayfly.linux.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import mayfly.linux.abi.SystemCall;
import org.jspecify.annotations.Nullable;

/**
 * A request for the lowest CPU latency, in force until it is closed: an idle CPU then polls for work instead of
 * sleeping. See /dev/cpu_dma_latency in the kernel's Documentation/power/pm_qos_interface.rst.
 *
 * <p>Stopping a sleeping thread wakes it, and waking a CPU may take several times as long as the work done while the
 * thread is stopped. The kernel withdraws the request when its last descriptor is closed, however this process ends.
 */
public final class CpuLatency implements AutoCloseable {
    private static final String DEVICE = "/dev/cpu_dma_latency";

    private final @Nullable Fd request;

    private CpuLatency(@Nullable Fd request) {
        this.request = request;
    }

    /**
     * Requests the lowest latency. Without the permission, which only root has, returns an object that does nothing.
     */
    public static CpuLatency lowest() {
        Fd device;
        try {
            device = Open.writeOnly(DEVICE);
        } catch (ErrnoException e) {
            return new CpuLatency(null);
        }
        try (Arena arena = Arena.ofConfined()) {
            long micros = arena.allocateFrom(JAVA_INT, 0).address();
            if (Syscall.call(SystemCall.WRITE, device.number(), micros, JAVA_INT.byteSize()) >= 0) {
                return new CpuLatency(device);
            }
        }
        device.close();
        return new CpuLatency(null);
    }

    /** Returns true if the request is in force. */
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
