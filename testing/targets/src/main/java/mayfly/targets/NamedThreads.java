package mayfly.targets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads of every state and with names of every kind. It accepts four commands. It answers {@code threads} with all
 * threads, as {@code id,daemon,state,name} and a semicolon each; every char of a name except ASCII letters, digits and
 * hyphens is {@code _} and four hexadecimal digits. {@code gc} collects garbage until the objects have moved.
 * {@code churn} starts to do so without end. It answers {@code virtual} with the number of a virtual thread that runs
 * without end.
 *
 * <p>Names that begin with {@code state-} give the state of the thread.
 */
public final class NamedThreads {
    private static final int GARBAGE = 100_000;
    private static final int PIECES = 2_000;
    private static final int ROUNDS = 3;
    private static final long BETWEEN_COLLECTIONS_NANOS = 10_000_000;
    private static final Object held = new Object();
    private static final Object never = new Object();
    private static final Map<Thread, Thread.State> expected = new LinkedHashMap<>();
    private static volatile Object garbage;
    private static volatile long spun;

    private NamedThreads() {}

    public static void main(String[] args) throws InterruptedException {
        for (String name : names()) {
            start(name, expected.size() % 2 == 0, Thread.State.WAITING, NamedThreads::park);
        }
        start("state-IN_MANAGED_CODE", true, Thread.State.RUNNABLE, NamedThreads::spin);
        start("state-IN_NATIVE", true, Thread.State.RUNNABLE, NamedThreads::accept);
        start("state-PARKED", true, Thread.State.WAITING, NamedThreads::park);
        start("state-TIMED_PARKED", true, Thread.State.TIMED_WAITING, () -> LockSupport.parkNanos(Long.MAX_VALUE));
        start("state-SLEEPING", true, Thread.State.TIMED_WAITING, () -> Thread.sleep(100_000_000));
        start("state-WAITING", true, Thread.State.WAITING, () -> waitFor(0));
        start("state-TIMED_WAITING", true, Thread.State.TIMED_WAITING, () -> waitFor(100_000_000));
        synchronized (held) {
            start("state-BLOCKED", true, Thread.State.BLOCKED, NamedThreads::enter);
            expected.forEach(NamedThreads::await);
            LineProtocol.untilExit("named " + expected.size(), NamedThreads::answer);
        }
    }

    private static List<String> names() {
        List<String> names = new ArrayList<>(List.of(
                "",
                " ",
                "plain",
                "Gr\u00f6\u00dfe",
                "\u65e5\u672c\u8a9e",
                "\ud83e\udd8b",
                "\ud800 alone",
                "\udc00",
                "line\nfeed",
                "\r\n\t\0\u0007\u001b[31m\u009b",
                "\u202e\ufeff",
                "\"quoted\" #1 daemon",
                "<b>&amp;",
                "x".repeat(10_000),
                "\u00ff".repeat(65_536),
                "\u0100".repeat(65_536),
                "longer-than-is-read-" + "y".repeat(65_536)));
        for (int i = 0; i < 50; i++) {
            names.add("worker-" + i);
        }
        return names;
    }

    private interface Body {
        void run() throws InterruptedException;
    }

    private static Thread start(String name, boolean daemon, Thread.State state, Body body) {
        garbage = new byte[GARBAGE];
        Thread thread = new Thread(
                () -> {
                    try {
                        body.run();
                    } catch (InterruptedException e) {
                        System.err.println(name + ": " + e);
                    }
                },
                name);
        thread.setDaemon(daemon);
        thread.start();
        expected.put(thread, state);
        return thread;
    }

    /** Waits until a thread is in the state that its name gives. */
    private static void await(Thread thread, Thread.State state) {
        boolean there = false;
        while (!there) {
            StackTraceElement[] stack = thread.getStackTrace();
            there = thread.getState() == state
                    && stack.length > 0
                    && (state != Thread.State.RUNNABLE
                            || stack[0].isNativeMethod()
                            || stack[0].getMethodName().equals("spin"));
        }
    }

    private static void park() {
        while (true) {
            LockSupport.park();
        }
    }

    private static void spin() {
        while (true) {
            spun++;
        }
    }

    private static void accept() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            socket.accept();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void waitFor(long millis) throws InterruptedException {
        synchronized (never) {
            never.wait(millis);
        }
    }

    private static void enter() {
        synchronized (held) {
            spun--;
        }
    }

    private static String answer(String line) {
        switch (line) {
            case "gc":
                collect();
                return "collected";
            case "churn":
                LineProtocol.start("churn", () -> {
                    while (true) {
                        collect();
                        LockSupport.parkNanos(BETWEEN_COLLECTIONS_NANOS);
                    }
                });
                return "churning";
            case "virtual":
                return ride();
            default:
                return threads();
        }
    }

    /** Starts a virtual thread, if the JDK has them, that never leaves its carrier, and returns its number. */
    private static String ride() {
        SynchronousQueue<Long> id = new SynchronousQueue<>();
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) () -> {
                Thread.currentThread().setName("r\u00efder");
                while (!id.offer(Thread.currentThread().getId())) {
                    Thread.yield();
                }
                spin();
            });
            return Long.toString(id.take());
        } catch (ReflectiveOperationException | InterruptedException e) {
            return "none: " + e;
        }
    }

    private static void collect() {
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < PIECES; i++) {
                garbage = new byte[GARBAGE / 10];
            }
            System.gc();
        }
    }

    private static String threads() {
        StringBuilder all = new StringBuilder();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            all.append(thread.getId())
                    .append(',')
                    .append(thread.isDaemon())
                    .append(',')
                    .append(thread.getState())
                    .append(',')
                    .append(escaped(thread.getName()))
                    .append(';');
        }
        return all.toString();
    }

    private static String escaped(String name) {
        StringBuilder text = new StringBuilder();
        for (char c : name.toCharArray()) {
            if (c == '-' || c < 128 && Character.isLetterOrDigit(c)) {
                text.append(c);
            } else {
                text.append('_').append(String.format("%04x", (int) c));
            }
        }
        return text.toString();
    }
}
