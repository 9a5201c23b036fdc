package mayfly.process;

/**
 * CPU time in ns, with the kernel's resolution of 10 ms.
 *
 * @param userNanos time in user space
 * @param systemNanos time in the kernel
 */
public record CpuTime(long userNanos, long systemNanos) {
    public long nanos() {
        return userNanos + systemNanos;
    }
}
