package mayfly.targets;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/**
 * Creates classes and threads without a pause, and lists all of them. {@code churn} starts; {@code made} answers with
 * the numbers of classes and threads; {@code rest} stops and answers with the created items, separated by commas:
 * {@code class NAME}, {@code thread NAME} for a permanent thread, {@code passed NAME NANOS} for an ended thread, with a
 * time at which it still ran. {@code clear} releases all of them.
 */
public final class AttachRaceTarget {
    /** The name of the class in its class file; each copy of the class has another name of the same length instead. */
    private static final String GUEST = "Guest00000";

    private static final int GUESTS = 100_000;
    /** The maximum number of permanent threads at one time, because each needs a stack. */
    private static final int MAX_STAYING = 2_000;

    private static final List<Object> classes = new CopyOnWriteArrayList<>();
    private static final List<Thread> staying = new CopyOnWriteArrayList<>();
    private static final List<String> passed = new CopyOnWriteArrayList<>();
    private static volatile boolean churning;
    private static volatile CountDownLatch leave = new CountDownLatch(1);
    private static List<Thread> churners = List.of();
    private static byte[] guest;
    private static int named;

    private AttachRaceTarget() {}

    /** The class that is loaded, under another name each time. */
    public static final class Guest00000 {
        @Override
        public String toString() {
            return getClass().getName();
        }
    }

    private static final class Loader extends ClassLoader {
        Class<?> load(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    public static void main(String[] args) throws IOException {
        try (InputStream in = AttachRaceTarget.class.getResourceAsStream("AttachRaceTarget$" + GUEST + ".class")) {
            guest = in.readAllBytes();
        }
        LineProtocol.untilExit("arrivals", AttachRaceTarget::answer);
    }

    private static String answer(String word) {
        switch (word) {
            case "churn":
                churning = true;
                churners = List.of(
                        LineProtocol.start("brings threads", AttachRaceTarget::bringThreads),
                        LineProtocol.start("brings classes", AttachRaceTarget::bringClasses));
                return "churning";
            case "made":
                return classes.size() + " " + (staying.size() + passed.size());
            case "rest":
                churning = false;
                churners.forEach(AttachRaceTarget::join);
                return said();
            case "clear":
                leave.countDown();
                staying.forEach(AttachRaceTarget::join);
                leave = new CountDownLatch(1);
                staying.clear();
                passed.clear();
                classes.clear();
                return "cleared";
            default:
                return "?";
        }
    }

    /** Starts permanent and short-lived threads alternately. */
    private static void bringThreads() {
        for (int n = 0; churning; n++) {
            String name = n + " " + System.nanoTime();
            if (staying.size() < MAX_STAYING) {
                LineProtocol.start("stays " + name, AttachRaceTarget::stay);
            }
            join(LineProtocol.start("passes " + name, () -> passed.add("passes " + name + " " + System.nanoTime())));
        }
    }

    /**
     * Runs in a permanent thread, which is counted only from here on: a started thread that has not begun to run is not
     * reported to a profiler.
     */
    private static void stay() {
        staying.add(Thread.currentThread());
        try {
            leave.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Loads each class in a new loader, and so in a new module. */
    private static void bringClasses() {
        while (churning) {
            try {
                classes.add(new Loader()
                        .load(renamed(named++ % GUESTS))
                        .getConstructor()
                        .newInstance());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static byte[] renamed(int number) {
        byte[] from = GUEST.getBytes(StandardCharsets.US_ASCII);
        byte[] to = String.format("Guest%05d", number).getBytes(StandardCharsets.US_ASCII);
        byte[] copy = guest.clone();
        for (int at = 0; at + from.length <= copy.length; at++) {
            int same = 0;
            while (same < from.length && copy[at + same] == from[same]) {
                same++;
            }
            if (same == from.length) {
                System.arraycopy(to, 0, copy, at, to.length);
            }
        }
        return copy;
    }

    private static String said() {
        return classes.stream().map(made -> "class " + made).collect(Collectors.joining(",")) + ","
                + staying.stream().map(thread -> "thread " + thread.getName()).collect(Collectors.joining(",")) + ","
                + passed.stream().map(words -> "passed " + words).collect(Collectors.joining(","));
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
