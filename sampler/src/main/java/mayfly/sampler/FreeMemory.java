package mayfly.sampler;

import mayfly.linux.AvailableMemory;

/**
 * Memory that a child process can take.
 *
 * @param bytes how much that is
 * @param limit what limits it, in words for a user
 */
public record FreeMemory(long bytes, String limit) {

    /** As it is now, for a JVM that is started as this one and has another heap. */
    public static FreeMemory forAChild() {
        AvailableMemory available = AvailableMemory.now(Runtime.getRuntime().maxMemory());
        return new FreeMemory(available.bytes(), available.limit());
    }
}
