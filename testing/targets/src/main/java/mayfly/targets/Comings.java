package mayfly.targets;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Threads and classes that come and go when they are told to: {@code thread NAME} runs a thread to its end, {@code load} loads
 * a class in a loader of its own, {@code unload} lets all of these go and collects, {@code stay NAME} starts a thread that
 * stays, {@code open FILE} opens a file that stays open, {@code churn} does all this all the time, {@code work}
 * answers how much was done so far, {@code environment NAME} what a variable says, {@code take-descriptors} opens
 * all files that can be and {@code give-descriptors} closes them, {@code release} lets a profiler's threads go that wait for it, {@code forget}
 * unregisters the MBeans of the domain {@code testing} and collects.
 */
public final class Comings {
    private static final List<Object> loaded = new ArrayList<>();
    private static final List<FileInputStream> opened = new ArrayList<>();
    private static final AtomicLong work = new AtomicLong();

    private Comings() {
    }

    /** What {@code load} loads, again and again. */
    public static final class Guest {
        @Override
        public String toString() {
            return "a guest";
        }
    }

    private static final class Loader extends ClassLoader {
        Class<?> load(byte[] bytes) {
            return defineClass(Guest.class.getName(), bytes, 0, bytes.length);
        }
    }

    public static void main(String[] args) throws IOException {
        byte[] guest;
        try (InputStream in = Comings.class.getResourceAsStream("Comings$Guest.class")) {
            guest = in.readAllBytes();
        }
        Talk.untilExit("comings", line -> answer(line.split(" ", 2), guest));
    }

    private static String answer(String[] words, byte[] guest) {
        switch (words[0]) {
            case "thread":
                run(words[1]);
                return "ended";
            case "stay":
                Talk.start(words[1], Comings::stay);
                return "started";
            case "load":
                return load(guest);
            case "unload":
                loaded.clear();
                System.gc();
                return "collected";
            case "churn":
                Talk.start("churning threads", Comings::churnThreads);
                Talk.start("churning classes", () -> churnClasses(guest));
                return "churning";
            case "open":
                return open(words[1]);
            case "release":
                System.setProperty("mayfly.testing.release", "now");
                return "released";
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

    /** Until there is no descriptor left; how many files that took. */
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
        try {
            Talk.start(name, () -> work.incrementAndGet()).join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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

    private static String open(String file) {
        try {
            loaded.add(new FileInputStream(file));
            return "open";
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static String load(byte[] guest) {
        try {
            Object made = new Loader().load(guest).getConstructor().newInstance();
            loaded.add(made);
            return made.toString();
        } catch (ReflectiveOperationException e) {
            return e.toString();
        }
    }

    private static void churnThreads() {
        while (true) {
            run("short");
        }
    }

    private static void churnClasses(byte[] guest) {
        while (true) {
            load(guest);
            work.incrementAndGet();
            if (loaded.size() > 100) {
                loaded.clear();
            }
        }
    }
}
