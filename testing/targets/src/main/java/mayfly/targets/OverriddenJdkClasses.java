package mayfly.targets;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A program that overrides everything it can: the public methods of its threads and of their group, the system
 * properties, and, with {@code -Djava.system.class.loader=mayfly.targets.OverriddenJdkClasses$Loader}, the system class
 * loader. {@code trespasses} answers with the overridden methods that a thread of a host called, except for calls by
 * the profiler itself.
 *
 * <p>{@code deep NAME N} starts a thread that sleeps below N frames. {@code load N} loads a class below N frames.
 */
public final class OverriddenJdkClasses {
    private static final Set<String> trespasses = ConcurrentHashMap.newKeySet();

    private OverriddenJdkClasses() {}

    private static void called(String what) {
        String thread = Thread.currentThread().getName();
        if (thread.startsWith("Mayfly") && !isProfilers()) {
            trespasses.add(what + " by " + thread);
            throw new IllegalStateException(what + " by " + thread);
        }
    }

    /** Returns whether the profiler made the call, directly or through the JDK. */
    private static boolean isProfilers() {
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            String name = frame.getClassName();
            if (name.startsWith("mayfly.") && !name.startsWith("mayfly.targets.")) {
                return !name.startsWith("mayfly.host.");
            }
        }
        return false;
    }

    /** JDK classes read properties, too, when they are initialised by whichever thread uses them first. */
    private static void property(String key) {
        StackTraceElement[] frames = new Throwable().getStackTrace();
        if (frames.length > 3
                && frames[2].getClassName().equals("java.lang.System")
                && frames[3].getClassName().startsWith("mayfly.host.")) {
            called("getProperty(" + key + ")");
        }
    }

    /** The system class loader, which the JVM creates. */
    public static final class Loader extends ClassLoader {
        public Loader(ClassLoader parent) {
            super(parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            called("loadClass(" + name + ")");
            return super.loadClass(name, resolve);
        }
    }

    private static final class Group extends ThreadGroup {
        Group() {
            super("overriding group");
        }

        @Override
        public int activeCount() {
            called("activeCount");
            return super.activeCount();
        }

        @Override
        public int enumerate(Thread[] list, boolean recurse) {
            called("enumerate");
            return super.enumerate(list, recurse);
        }
    }

    private static final class Values extends Properties {
        private static final long serialVersionUID = 1;

        @Override
        public String getProperty(String key) {
            property(key);
            return super.getProperty(key);
        }

        @Override
        public String getProperty(String key, String otherwise) {
            property(key);
            return super.getProperty(key, otherwise);
        }
    }

    private static final class Overriding extends Thread {
        private final int depth;

        Overriding(ThreadGroup group, String name, int depth) {
            super(group, null, name, 1 << 28);
            this.depth = depth;
            setDaemon(true);
        }

        @Override
        public void run() {
            descend(depth, OverriddenJdkClasses::sleep);
        }

        @Override
        @SuppressWarnings("deprecation")
        public long getId() {
            called("getId");
            return 7;
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            called("getStackTrace");
            return new StackTraceElement[0];
        }

        @Override
        public ClassLoader getContextClassLoader() {
            called("getContextClassLoader");
            return super.getContextClassLoader();
        }

        @Override
        public State getState() {
            called("getState");
            return super.getState();
        }

        @Override
        public int hashCode() {
            called("hashCode");
            return 7;
        }

        @Override
        public boolean equals(Object other) {
            called("equals");
            return this == other;
        }

        @Override
        public String toString() {
            called("toString");
            return "overriding";
        }
    }

    static void descend(int depth, Runnable bottom) {
        if (depth > 1) {
            descend(depth - 1, bottom);
        } else {
            bottom.run();
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws IOException {
        byte[] guest;
        try (InputStream in = ThreadAndClassChurn.class.getResourceAsStream("ThreadAndClassChurn$Guest.class")) {
            guest = in.readAllBytes();
        }
        Properties values = new Values();
        values.putAll(System.getProperties());
        System.setProperties(values);
        ThreadGroup group = new Group();
        new Overriding(group, "one", 1).start();
        new Overriding(group, "two", 1).start();
        LineProtocol.untilExit("overrides", line -> {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "deep":
                    new Overriding(group, words[1], Integer.parseInt(words[2])).start();
                    return "started";
                case "load":
                    descend(Integer.parseInt(words[1]), () -> ThreadAndClassChurn.load(guest));
                    return "loaded";
                case "trespasses":
                    return trespasses.toString();
                default:
                    return "?";
            }
        });
    }
}
