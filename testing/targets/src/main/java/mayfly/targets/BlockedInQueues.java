package mayfly.targets;

import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Exchanger;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Threads that wait for something to be handed to them. */
final class BlockedInQueues {
    private BlockedInQueues() {}

    static void start() {
        Blocked.start("synchronous-queue", () -> new SynchronousQueue<String>().take());
        Blocked.start("synchronous-queue-put", () -> new SynchronousQueue<String>(true).put("x"));
        Blocked.start("array-queue-timed", () -> new ArrayBlockingQueue<String>(1).poll(1, TimeUnit.DAYS));
        Blocked.start("array-queue-full", BlockedInQueues::putTwo);
        Blocked.start("linked-deque", () -> new LinkedBlockingDeque<String>().takeLast());
        Blocked.start("priority-queue", () -> new PriorityBlockingQueue<String>().take());
        Blocked.start("transfer-queue", () -> new LinkedTransferQueue<String>().transfer("x"));
        Blocked.start("delay-queue", () -> new DelayQueue<Delayed>().take());
        Blocked.start("exchanger", () -> new Exchanger<String>().exchange("x"));
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                1, 1, 1, TimeUnit.DAYS, new LinkedBlockingDeque<>(), body -> named("kind-pool-worker", body));
        pool.prestartAllCoreThreads();
        ScheduledThreadPoolExecutor scheduled =
                new ScheduledThreadPoolExecutor(1, body -> named("kind-scheduled-worker", body));
        scheduled.schedule(() -> Work.sink = 1, 1, TimeUnit.DAYS);
        new Timer("kind-timer", true)
                .schedule(
                        new TimerTask() {
                            @Override
                            public void run() {
                                Work.sink = 2;
                            }
                        },
                        TimeUnit.DAYS.toMillis(1));
        new Timer("kind-timer-task", true)
                .schedule(
                        new TimerTask() {
                            @Override
                            public void run() {
                                LockSupport.park(this);
                            }
                        },
                        0);
    }

    private static Thread named(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        Blocked.expect(thread);
        return thread;
    }

    private static void putTwo() throws InterruptedException {
        ArrayBlockingQueue<String> queue = new ArrayBlockingQueue<>(1);
        queue.put("one");
        queue.put("two");
    }
}
