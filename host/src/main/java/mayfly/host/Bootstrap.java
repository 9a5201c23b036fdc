package mayfly.host;

import java.util.function.Function;

/**
 * The first of our classes to run. It and {@link MemoryLoader} are defined by the library in a loader of their own; everything
 * else comes in one more. The library makes it without calling a constructor.
 */
final class Bootstrap implements Function<Object[], Object> {

    /**
     * Begins.
     *
     * @param in the host's classes, what the profiler's jar holds, the profiler's class, its events, the client data or null,
     *           which of the process's JVMs this is
     * @return an {@code Object[]} for the library; a {@code byte[]}, the answer of a refusal; or a {@code String}, what failed
     */
    @Override
    @SuppressWarnings("unchecked")
    public Object apply(Object[] in) {
        try {
            // Not in hexadecimal: each method of the JDK that runs once in each attach is compiled in the end, and stays.
            String name = "mayfly-".concat(Long.toString(System.nanoTime()));
            MemoryLoader loader = new MemoryLoader(name, ClassLoader.getPlatformClassLoader());
            loader.add((byte[]) in[0]);
            loader.loadAll();
            Object start = loader.loadClass("mayfly.host.Start").getConstructor().newInstance();
            return ((Function<Object[], Object>) start).apply(new Object[] {loader, in[1], in[2], in[3], in[4], in[5]});
        } catch (Throwable e) {
            return "the host's own classes do not load: ".concat(e.toString());
        }
    }
}
