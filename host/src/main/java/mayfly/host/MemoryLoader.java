package mayfly.host;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Loads classes and resources from bytes. The target opens no file of a profiler and reads no jar, because that would
 * map the JDK's library for jars. The loaded classes cannot use this class: they are in a run-time package of
 * the same name, but of another loader. They call the loader as a {@link Function}: a {@code byte[]} adds entries, a
 * {@code String} requests one, {@link #FORGET} removes all.
 */
final class MemoryLoader extends ClassLoader implements Function<Object, byte @Nullable []> {
    /** Argument that discards all bytes: classes not defined by then can no longer be defined. */
    static final Class<?> FORGET = Void.class;

    private final Map<String, byte[]> entries = new HashMap<>();

    MemoryLoader(String name, ClassLoader parent) {
        super(name, parent);
    }

    /**
     * Adds entries. Each consists of the length and the bytes of its name, then the length and the bytes of its
     * content: see docs/formats/host-channel.md. Existing entries stay.
     *
     * @return true if there was at least one entry and nothing but entries
     */
    boolean add(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        try {
            while (in.hasRemaining()) {
                String name = new String(next(in), StandardCharsets.UTF_8);
                entries.putIfAbsent(name, next(in));
            }
        } catch (BufferUnderflowException e) {
            return false;
        }
        return bytes.length > 0;
    }

    /**
     * Loads and initialises every class that is present now. Otherwise a class could be loaded during a callback, while
     * locks are held that the event for this class needs.
     */
    void loadAll() throws ClassNotFoundException {
        for (String name : entries.keySet()) {
            if (name.endsWith(".class")) {
                Class.forName(
                        name.substring(0, name.length() - ".class".length()).replace('/', '.'), true, this);
            }
        }
    }

    private static byte[] next(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = entries.get(name.replace('.', '/').concat(".class"));
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    @Override
    public @Nullable InputStream getResourceAsStream(String name) {
        InputStream parents = super.getResourceAsStream(name);
        byte[] bytes = entries.get(name);
        return parents != null || bytes == null ? parents : new ByteArrayInputStream(bytes);
    }

    /** Requests that a loader, which may be of another class of this name, discard its bytes. */
    static void forget(Function<Object, byte @Nullable []> loader) {
        var unused = loader.apply(FORGET);
    }

    /** Returns an entry's bytes or null; for entries to add, an empty array or null. */
    @Override
    public byte @Nullable [] apply(Object asked) {
        if (asked == FORGET) {
            entries.clear();
            return null;
        }
        if (asked instanceof String) {
            return entries.get((String) asked);
        }
        return add((byte[]) asked) ? new byte[0] : null;
    }
}
