package mayfly.host.probe;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Defines the classes that the trigger sends for probes. The host's loader defines all classes that it has when the
 * host starts, so these have other names in it. This loader looks for them first, because the profiler's jar may
 * contain another version of ASM.
 */
public final class DeferredClasses extends ClassLoader {
    private static final String SUFFIX = ".class.deferred";

    /** Assigned with the lock of this class. */
    private static volatile @Nullable ClassLoader loader;

    private final Function<Object, byte @Nullable []> files;

    /** @param files the parent, as the function that returns an entry's bytes */
    DeferredClasses(ClassLoader parent, Function<Object, byte @Nullable []> files) {
        // The host finds its own classes on stacks by the name of their loader.
        super(parent.getName(), parent);
        this.files = files;
    }

    /**
     * Creates an object of a deferred class, by its public constructor without parameters.
     *
     * @throws IllegalStateException if the trigger did not send the class, because the profiler's manifest does not
     *         list the event
     */
    public static synchronized Object create(String className) {
        try {
            return Class.forName(className, true, loader()).getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the loader of the deferred classes, which the first call creates. */
    public static synchronized ClassLoader loader() {
        ClassLoader deferred = loader;
        if (deferred == null) {
            deferred = over(DeferredClasses.class.getClassLoader());
            loader = deferred;
        }
        return deferred;
    }

    /** Returns true if the calling thread is creating an object or loading a class. */
    static boolean isInUse() {
        ClassLoader deferred = loader;
        return Thread.holdsLock(DeferredClasses.class) || deferred != null && Thread.holdsLock(deferred);
    }

    /** Returns true if the object is a lock that is held meanwhile; the loader is its own lock. */
    static boolean isOwnLock(Object object) {
        return object == DeferredClasses.class || object == loader;
    }

    /** The host's loader is a function of the names of its entries. A unit test's loader has all classes itself. */
    @SuppressWarnings("unchecked")
    private static ClassLoader over(ClassLoader parent) {
        return parent instanceof Function
                ? new DeferredClasses(parent, (Function<Object, byte @Nullable []>) parent)
                : parent;
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
