package mayfly.profilers.testing;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Starts virtual threads by reflection, because this module is compiled for 17. */
final class VirtualThreads {
    private VirtualThreads() {}

    /** Starts an unnamed virtual thread; a platform thread if the JDK has no virtual ones. */
    static void startIfThereAre(Runnable body) {
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
        } catch (NoSuchMethodException e) {
            new Thread(body, "caller").start();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static void start(String name, Runnable body) {
        try {
            Class<?> builder = Class.forName("java.lang.Thread$Builder");
            Object named = builder.getMethod("name", String.class)
                    .invoke(Thread.class.getMethod("ofVirtual").invoke(null), name);
            builder.getMethod("start", Runnable.class).invoke(named, body);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts an unnamed virtual thread of an executor. */
    static void startByExecutor(Runnable body) {
        try {
            ExecutorService executor = (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
            executor.submit(body);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
