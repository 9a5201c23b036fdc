package mayfly.host.probe;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Defines the classes that the trigger sends for probes. The host's loader defines all classes that it has when the
 * host starts, so these have other names in it. This loader looks for them first, because the profiler's jar may
 * contain another version of ASM.
 */
final class DeferredClasses extends ClassLoader {
    private static final String SUFFIX = ".class.deferred";

    private final Function<Object, byte @Nullable []> files;

    /** @param files the parent, as the function that returns an entry's bytes */
    DeferredClasses(ClassLoader parent, Function<Object, byte @Nullable []> files) {
        // The host finds its own classes on stacks by the name of their loader.
        super(parent.getName(), parent);
        this.files = files;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> type = findLoadedClass(name);
            if (type != null) {
                return type;
            }
            byte[] bytes = files.apply(name.replace('.', '/').concat(SUFFIX));
            return bytes == null ? getParent().loadClass(name) : defineClass(name, bytes, 0, bytes.length);
        }
    }
}
