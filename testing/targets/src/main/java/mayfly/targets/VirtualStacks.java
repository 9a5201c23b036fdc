package mayfly.targets;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/**
 * Virtual threads that are blocked in different ways and depths: the number of them and the kinds are the arguments,
 * and optionally the number of others in a scope of the main thread. Each is named {@code KIND-NUMBER}. A third is
 * started by an executor, and half of them before the code is compiled. {@code collect} begins to collect and to
 * allocate all the time, {@code rest} ends that. Any other line is answered with the number of threads that are
 * blocked. Needs JDK 21.
 */
public final class VirtualStacks {
    private static final int MAX_DEPTH = 50;
    private static final int DEEP = 600;
    private static final int WARM_UP = 20_000;
    private static final long BETWEEN_COLLECTIONS_NANOS = 20_000_000;
    private static final int GARBAGE = 1 << 16;

    private static final ReentrantLock lock = new ReentrantLock();
    private static final Object monitor = new Object();
    private static final Object notified = new Object();
    private static final SynchronousQueue<Object> queue = new SynchronousQueue<>();
    private static final List<Thread> threads = new ArrayList<>();
    private static volatile boolean collects;
    private static volatile Object garbage;

    /** Blocks a thread, or does nothing. */
    private interface Body {
        void run() throws Exception;
    }

    private VirtualStacks() {}

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        String[] kinds = args[1].split(",");
        lock.lock();
        synchronized (monitor) {
            ExecutorService executor = (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
            start(0, count / 2, kinds, executor);
            for (int i = 0; i < WARM_UP; i++) {
                down(i % MAX_DEPTH, () -> {});
            }
            start(count / 2, count, kinds, executor);
            int inScope = args.length > 2 ? startInScope(Integer.parseInt(args[2])) : 0;
            synchronized (threads) {
                while (threads.size() < count + inScope) {
                    threads.wait();
                }
            }
            while (blocked() < count + inScope) {
                LockSupport.parkNanos(1_000_000);
            }
            LineProtocol.untilExit("virtual stacks", VirtualStacks::answer);
        }
    }

    private static String answer(String line) {
        if (line.equals("collect")) {
            collects = true;
            LineProtocol.start("collects", VirtualStacks::collect);
        } else if (line.equals("rest")) {
            collects = false;
        }
        return Long.toString(blocked());
    }

    private static long blocked() {
        synchronized (threads) {
            return threads.stream()
                    .filter(thread -> thread.getState() != Thread.State.RUNNABLE
                            && thread.getState() != Thread.State.NEW
                            && thread.getState() != Thread.State.TERMINATED)
                    .count();
        }
    }

    private static void collect() {
        while (collects) {
            for (int i = 0; i < GARBAGE; i++) {
                garbage = new long[i % 64];
            }
            System.gc();
            LockSupport.parkNanos(BETWEEN_COLLECTIONS_NANOS);
        }
    }

    private static void start(int from, int to, String[] kinds, ExecutorService executor)
            throws ReflectiveOperationException {
        for (int i = from; i < to; i++) {
            String kind = kinds[i % kinds.length];
            int number = i;
            Runnable body = () -> run(kind, number);
            if (i % 3 == 0) {
                executor.execute(body);
            } else {
                LineProtocol.startVirtual(body);
            }
        }
    }

    /** Starts threads in a scope of this thread. The JDK's class for scopes is public only in a preview. */
    private static int startInScope(int count) throws ReflectiveOperationException {
        Class<?> type = Class.forName("jdk.internal.misc.ThreadFlock");
        Object flock = type.getMethod("open", String.class).invoke(null, "scope");
        Method start = type.getMethod("start", Thread.class);
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Method unstarted = Class.forName("java.lang.Thread$Builder").getMethod("unstarted", Runnable.class);
        for (int i = 0; i < count; i++) {
            int number = i;
            Runnable body = () -> run("scope", number);
            start.invoke(flock, unstarted.invoke(builder, body));
        }
        return count;
    }

    private static void run(String kind, int number) {
        Thread.currentThread().setName(kind + "-" + number);
        synchronized (threads) {
            threads.add(Thread.currentThread());
            threads.notifyAll();
        }
        try {
            down(number == 0 ? DEEP : number / 20 % MAX_DEPTH, body(kind));
        } catch (Exception e) {
            System.err.println(kind + ": " + e);
        }
    }

    /** Calls itself through a lambda at some depths, and through a monitor at others. */
    private static void down(int depth, Body body) throws Exception {
        if (depth == 0) {
            body.run();
        } else if (depth % 7 == 3) {
            IntStream.of(depth - 1).forEach(next -> through(next, body));
        } else {
            down(depth - 1, body);
        }
    }

    private static void through(int depth, Body body) {
        try {
            down(depth, body);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Body body(String kind) {
        switch (kind) {
            case "sleep":
                return () -> Thread.sleep(Long.MAX_VALUE);
            case "park":
            case "scope":
                return LockSupport::park;
            case "lock":
                return lock::lock;
            case "poll":
                return () -> queue.poll(1_000_000, TimeUnit.SECONDS);
            case "future":
                return () -> new CompletableFuture<>().get();
            case "wait":
                return () -> {
                    synchronized (notified) {
                        notified.wait();
                    }
                };
            case "enter":
                return () -> {
                    synchronized (monitor) {
                        Work.sink = 1;
                    }
                };
            default:
                throw new IllegalArgumentException(kind);
        }
    }
}
