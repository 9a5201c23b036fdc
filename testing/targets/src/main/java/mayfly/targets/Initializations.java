package mayfly.targets;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;

/** Classes whose initialization is a lock: their initializers run the body of the thread that takes it. */
final class Initializations {
    private static final ThreadLocal<Deadlocks.Body> body = new ThreadLocal<>();

    static class ByField {
        static int value = initialize();
    }

    static class ByFieldToo {
        static int value = initialize();
    }

    static class ByNew {
        static int value = initialize();
    }

    static class ByName {
        static int value = initialize();
    }

    static class WithMonitor {
        static int value = initialize();
    }

    static class WithLock {
        static int value = initialize();
    }

    static class Super {
        static int value = initialize();
    }

    static class Sub extends Super {
        static int subclassValue = initialize();
    }

    private Initializations() {}

    static Deadlocks.Taken byField() {
        return taken(() -> Work.sink = ByField.value);
    }

    static Deadlocks.Taken byFieldToo() {
        return taken(() -> Work.sink = ByFieldToo.value);
    }

    static Deadlocks.Taken byNew() {
        return taken(() -> Work.sink = new ByNew().hashCode());
    }

    static Deadlocks.Taken byName() {
        return taken(() -> Class.forName(Initializations.class.getName() + "$ByName"));
    }

    static Deadlocks.Taken withMonitor() {
        return taken(() -> Work.sink = WithMonitor.value);
    }

    static Deadlocks.Taken withLock() {
        return taken(() -> Work.sink = WithLock.value);
    }

    static Deadlocks.Taken superclass() {
        return taken(() -> Work.sink = Super.value);
    }

    /** Takes the superclass, too, before the rest runs. */
    static Deadlocks.Taken subclass() {
        return taken(() -> Work.sink = Sub.subclassValue);
    }

    private static Deadlocks.Taken taken(Deadlocks.Body touch) {
        return rest -> {
            body.set(rest);
            touch.run();
        };
    }

    private static int initialize() {
        try {
            body.get().run();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return 1;
    }

    /**
     * Returns true if a thread sleeps in a method of this class that needs a class: it waits for its initialization,
     * unless it waits for the JVM at this moment.
     */
    static boolean isAwaitedBy(Thread thread) {
        StackTraceElement[] frames = thread.getStackTrace();
        String method = frames.length == 0 ? "" : frames[0].getMethodName();
        return (method.startsWith("lambda$") || method.equals("forName0")) && isAsleep(thread.getName());
    }

    private static boolean isAsleep(String name) {
        for (File task : new File("/proc/self/task").listFiles()) {
            try {
                if (Files.readString(task.toPath().resolve("comm")).trim().equals(name)) {
                    return Files.readString(task.toPath().resolve("stat")).contains(") S ");
                }
            } catch (IOException e) {
                continue; // the thread has ended
            }
        }
        return false;
    }
}
