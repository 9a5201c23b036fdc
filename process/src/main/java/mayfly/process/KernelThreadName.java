package mayfly.process;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/**
 * The kernel's copy of a thread's name: at most 15 bytes, see pthread_setname_np(3). HotSpot truncates a longer name to
 * its beginning; since JDK 26 to its first seven bytes, two dots, and its last six ({@code os::set_native_thread_name}
 * in os_linux.cpp).
 */
public final class KernelThreadName {
    private static final int LENGTH = 15;
    private static final int HEAD = 7;
    private static final String GAP = "..";
    private static final int TAIL = 6;

    private KernelThreadName() {}

    /** Returns the names that the kernel may have for a thread to which HotSpot gives this name. */
    public static Set<String> of(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= LENGTH
                ? Set.of(name)
                // Both may be equal, which Set.of would reject.
                : Set.copyOf(List.of(
                        text(bytes, 0, LENGTH), text(bytes, 0, HEAD) + GAP + text(bytes, bytes.length - TAIL, TAIL)));
    }

    private static String text(byte[] bytes, int from, int length) {
        return new String(bytes, from, length, StandardCharsets.UTF_8);
    }
}
