package mayfly.targets;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Starts and ends threads, loads and unloads classes, and opens and closes descriptors, on request.
 *
 * <ul>
 * <li>{@code thread NAME} runs a thread to its end; {@code stay NAME} starts a permanent thread; {@code descend NAME}
 *     starts one that starts another, {@code child of NAME}; {@code contend} starts two permanent threads, one of which
 *     waits for a monitor; {@code virtual} runs a virtual thread to its end, if the JDK has them.
 * <li>{@code load} loads a class in a new loader; {@code unload} releases all of these classes and collects.
 * <li>{@code break} defines a class from bytes that are no class file; {@code module NAME} defines a module in a new
 *     layer, which {@code unload} releases; {@code assume} loads {@link Assumptions} in a new loader, and runs it until
 *     a compiler's assumption about it can have been wrong.
 * <li>{@code churn} repeats all of this until {@code rest}; {@code trickle} runs a thread and loads a class each
 *     millisecond until {@code rest}; {@code stop-the-world} repeatedly loads classes, collects, and takes the stacks
 *     of all threads.
 * <li>{@code open FILE} opens a file that stays open; {@code take-descriptors} opens all available descriptors, and
 *     {@code give-descriptors} closes those.
 * <li>{@code release} releases a profiler's threads that wait for it, until {@code hold}; {@code forget}
 *     unregisters the MBeans of the domain {@code testing} and collects.
 * <li>{@code take} moves the object in the system property {@code mayfly.testing.object} to a local variable of a
 *     thread named {@code holder}, where it stays until {@code release}.
 * <li>{@code map LIBRARY} loads a library without using it.
 * <li>{@code work} answers with the amount of work done so far, and {@code environment NAME} with the value of a
 *     variable; {@code diagnose} is {@link Diagnostics#ask}.
 * </ul>
 */
public final class ThreadAndClassChurn {
    private static final Collection<Object> loaded = new ConcurrentLinkedQueue<>();
    private static final List<FileInputStream> opened = new ArrayList<>();
    private static final AtomicLong work = new AtomicLong();
    private static final List<Thread> churners = new ArrayList<>();
    private static volatile boolean churning;

    private ThreadAndClassChurn() {}

    /** The class that {@code load} loads repeatedly. */
    public static final class Guest {
        public static final int KIND = 1;

        @Override
        public String toString() {
            return "a guest";
        }
    }

    private static final class Loader extends ClassLoader {
        Class<?> load(byte[] bytes) {
            return load(Guest.class, bytes);
        }

        Class<?> load(Class<?> type, byte[] bytes) {
            return defineClass(type.getName(), bytes, 0, bytes.length);
        }

        Class<?> loadBroken() {
            return defineClass("mayfly.targets.Broken", new byte[16], 0, 16);
        }
    }

    public static void main(String[] args) throws IOException {
        byte[] guest = bytes("ThreadAndClassChurn$Guest.class");
        LineProtocol.untilExit("churn", line -> answer(line.split(" ", 2), guest));
    }

    private static byte[] bytes(String file) throws IOException {
        try (InputStream in = ThreadAndClassChurn.class.getResourceAsStream(file)) {
            return in.readAllBytes();
        }
    }

    private static String answer(String[] words, byte[] guest) {
        switch (words[0]) {
            case "thread":
                run(words[1]);
                return "ended";
            case "stay":
                LineProtocol.start(words[1], ThreadAndClassChurn::stay);
                return "started";
            case "descend":
                LineProtocol.start(words[1], () -> {
                    LineProtocol.start("child of " + words[1], ThreadAndClassChurn::stay);
                    stay();
                });
                return "started";
            case "contend":
                LineProtocol.start("contends", ThreadAndClassChurn::contend);
                LineProtocol.start("contends too", ThreadAndClassChurn::contend);
                return "started";
            case "load":
                return load(guest);
            case "break":
                return loadBroken();
            case "assume":
                return assume();
            case "virtual":
                return virtual();
            case "module":
                loaded.add(OneModule.layer(words[1]));
                return "defined";
            case "map":
                System.load(words[1]);
                return "mapped";
            case "unload":
                loaded.clear();
                System.gc();
                return "collected";
            case "churn":
                churning = true;
                churners.add(LineProtocol.start("churning threads", ThreadAndClassChurn::churnThreads));
                churners.add(LineProtocol.start("churning classes", () -> churnClasses(guest)));
                return "churning";
            case "open":
                return open(words[1]);
            case "rest":
                churning = false;
                churners.forEach(ThreadAndClassChurn::join);
                churners.clear();
                loaded.clear();
                return "resting";
            case "trickle":
                churning = true;
                churners.add(LineProtocol.start("trickling", () -> trickle(guest)));
                return "trickling";
            case "stop-the-world":
                churning = true;
                churners.add(LineProtocol.start("churning classes", () -> churnClasses(guest)));
                churners.add(LineProtocol.start("stopping the world", ThreadAndClassChurn::stopTheWorld));
                return "stopping";
            case "diagnose":
                return Diagnostics.ask(words[1]);
            case "hold":
                System.clearProperty("mayfly.testing.release");
                return "held";
            case "release":
                System.setProperty("mayfly.testing.release", "now");
                return "released";
            case "take":
                LineProtocol.start("holder", ThreadAndClassChurn::hold);
                while (System.getProperties().containsKey("mayfly.testing.object")) {
                    Thread.onSpinWait();
                }
                return "taken";
            case "forget":
                return forget();
            case "environment":
                return String.valueOf(System.getenv(words[1]));
            case "take-descriptors":
                return openAll();
            case "give-descriptors":
                return closeAll();
            case "work":
                return Long.toString(work.get());
            default:
                return "?";
        }
    }

    private static void hold() {
        Object held = System.getProperties().remove("mayfly.testing.object");
        while (System.getProperty("mayfly.testing.release") == null) {
            LockSupport.parkNanos(1_000_000);
        }
        Work.sink = System.identityHashCode(held);
    }

    private static String forget() {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            for (ObjectName name : server.queryNames(new ObjectName("testing:*"), null)) {
                server.unregisterMBean(name);
            }
        } catch (JMException e) {
            return e.toString();
        }
        System.gc();
        return "forgotten";
    }

    /** Opens files until there is no descriptor left; returns their number. */
    private static String openAll() {
        try {
            while (true) {
                opened.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            return Integer.toString(opened.size());
        }
    }

    private static String closeAll() {
        try {
            for (FileInputStream file : opened) {
                file.close();
            }
        } catch (IOException e) {
            return e.toString();
        }
        opened.clear();
        return "closed";
    }

    private static void run(String name) {
        join(LineProtocol.start(name, () -> work.incrementAndGet()));
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String loadBroken() {
        try {
            return new Loader().loadBroken().getName();
        } catch (ClassFormatError e) {
            return "no class file";
        }
    }

    private static String assume() {
        try {
            Method answer = new Loader()
                    .load(Assumptions.class, bytes("Assumptions.class"))
                    .getDeclaredMethod("answer", String.class);
            answer.setAccessible(true);
            for (int i = 0; i < 3; i++) {
                answer.invoke(null, "warm");
            }
            return (String) answer.invoke(null, "change");
        } catch (ReflectiveOperationException | IOException e) {
            return e.toString();
        }
    }

    private static String virtual() {
        try {
            join(LineProtocol.startVirtual(work::incrementAndGet));
            return "ended";
        } catch (ReflectiveOperationException e) {
            return "no virtual threads";
        }
    }

    private static void stay() {
        synchronized (new Object()) {
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void contend() {
        while (true) {
            synchronized (loaded) {
                LockSupport.parkNanos(20_000_000);
            }
        }
    }

    private static String open(String file) {
        try {
            loaded.add(new FileInputStream(file));
            return "open";
        } catch (IOException e) {
            return e.toString();
        }
    }

    static String load(byte[] guest) {
        try {
            Object made = new Loader().load(guest).getConstructor().newInstance();
            loaded.add(made);
            return made.toString();
        } catch (ReflectiveOperationException e) {
            return e.toString();
        }
    }

    private static void churnThreads() {
        while (churning) {
            run("short");
        }
    }

    private static void trickle(byte[] guest) {
        while (churning) {
            run("short");
            loadAnother(guest);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void churnClasses(byte[] guest) {
        while (churning) {
            loadAnother(guest);
        }
    }

    /** A collection unloads some classes, and another stop follows soon after it. */
    private static void stopTheWorld() {
        while (churning) {
            System.gc();
            for (int i = 0; i < 20; i++) {
                Thread.getAllStackTraces();
            }
        }
    }

    private static void loadAnother(byte[] guest) {
        load(guest);
        work.incrementAndGet();
        if (loaded.size() > 100) {
            loaded.clear();
        }
    }
}
