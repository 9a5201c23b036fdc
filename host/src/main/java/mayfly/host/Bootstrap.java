package mayfly.host;

import java.util.function.Function;

/**
 * The first class of the host to run. The library defines it and {@link MemoryLoader} in a loader of their own; a
 * further loader defines all other classes. The library instantiates it without calling a constructor.
 */
final class Bootstrap implements Function<Object[], Object> {

    /**
     * Starts the host.
     *
     * @param in the host's classes, the contents of the profiler's jar, the profiler's class, its events, the client
     * data or null, and the rank of this JVM in the process with the start address of its library
     * @return an {@code Object[]} for the library; a {@code byte[]}, the answer that reports a refusal; or a
     * {@code String}, the reason for a failure
     */
    @Override
    @SuppressWarnings("unchecked")
    public Object apply(Object[] in) {
        try {
            // Not hexadecimal: each attach would call Long.toHexString. The JVM would eventually compile it and keep
            // its code.
            String name = "mayfly-".concat(Long.toString(System.nanoTime()));
            MemoryLoader loader = new MemoryLoader(name, ClassLoader.getPlatformClassLoader());
            loader.add((byte[]) in[0]);
            loader.loadAll();
            Object start =
                    loader.loadClass("mayfly.host.HostFactory").getConstructor().newInstance();
            return ((Function<Object[], Object>) start).apply(new Object[] {loader, in[1], in[2], in[3], in[4], in[5]});
        } catch (Throwable e) {
            return "the host's own classes do not load: ".concat(e.toString());
        }
    }
}
