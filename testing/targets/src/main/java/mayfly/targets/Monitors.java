package mayfly.targets;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that wait for monitors, and measure the time. {@code contend KIND ROUNDS MILLIS}: two threads for each of two
 * monitors enter it repeatedly, and own it for that time. {@code wait KIND ROUNDS MILLIS}: two threads wait in
 * {@link Object#wait(long)} until the time-out, and two until they are notified after that time. {@code interrupt}: a
 * thread waits until it is interrupted. {@code unowned}: a thread waits for a monitor that it does not own. {@code own
 * KIND}: a thread owns a monitor for which a platform thread waits, until {@code leave}; the answer is the id of the
 * owner. KIND is {@code platform} or {@code virtual}. Any other answer has an entry for each monitor: its
 * class, its identity hash code, and the time in ns that threads waited.
 */
public final class Monitors {
    private static final int THREADS = 4;
    private static final int NEVER_MILLIS = 100_000;

    private static volatile CountDownLatch left = new CountDownLatch(1);

    private Monitors() {}

    private static final class Account {}

    private static final class Mailbox {
        private boolean waits;
        private boolean full;
    }

    /** The work of one thread: returns the time that it waited. */
    private interface Body {
        long run(int thread) throws InterruptedException;
    }

    public static void main(String[] args) {
        LineProtocol.untilExit("monitors", line -> {
            try {
                return answer(line.split(" "));
            } catch (ReflectiveOperationException | InterruptedException e) {
                return e.toString();
            }
        });
    }

    private static String answer(String[] words) throws ReflectiveOperationException, InterruptedException {
        switch (words[0]) {
            case "contend":
                return contend(words[1].equals("virtual"), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
            case "wait":
                return await(words[1].equals("virtual"), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
            case "interrupt":
                return interrupt();
            case "unowned":
                return unowned();
            case "own":
                return own(words[1].equals("virtual"));
            case "leave":
                left.countDown();
                return "left";
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static void inThreads(boolean virtual, AtomicLong[] totals, Body body)
            throws ReflectiveOperationException, InterruptedException {
        CountDownLatch ended = new CountDownLatch(THREADS);
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            Runnable run = () -> {
                try {
                    totals[thread % totals.length].addAndGet(body.run(thread));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                ended.countDown();
            };
            if (virtual) {
                LineProtocol.startVirtual(run);
            } else {
                LineProtocol.start("waits " + i, run);
            }
        }
        ended.await();
    }

    private static String entry(Object monitor, long nanos) {
        return monitor.getClass().getName() + " " + System.identityHashCode(monitor) + " " + nanos;
    }

    /** One monitor is of an object, the other one of an array. */
    private static String contend(boolean virtual, int rounds, int millis)
            throws ReflectiveOperationException, InterruptedException {
        Object[] monitors = {new Account(), new int[0]};
        AtomicLong[] totals = {new AtomicLong(), new AtomicLong()};
        AtomicLong[] unused = {new AtomicLong()};
        inThreads(virtual, unused, thread -> {
            for (int i = 0; i < rounds; i++) {
                totals[thread % 2].addAndGet(enter(monitors[thread % 2], millis));
            }
            return 0;
        });
        return entry(monitors[0], totals[0].get()) + ";" + entry(monitors[1], totals[1].get());
    }

    private static long enter(Object monitor, int millis) throws InterruptedException {
        long begun = System.nanoTime();
        synchronized (monitor) {
            long waited = System.nanoTime() - begun;
            Thread.sleep(millis);
            return waited;
        }
    }

    private static String await(boolean virtual, int rounds, int millis)
            throws ReflectiveOperationException, InterruptedException {
        Mailbox[] mailboxes = new Mailbox[THREADS];
        AtomicLong[] totals = new AtomicLong[THREADS];
        for (int i = 0; i < THREADS; i++) {
            mailboxes[i] = new Mailbox();
            totals[i] = new AtomicLong();
        }
        Thread notifies = LineProtocol.start("notifies", () -> notifyAll(mailboxes, millis));
        inThreads(virtual, totals, thread -> {
            long waited = 0;
            for (int i = 0; i < rounds; i++) {
                waited += thread < 2 ? timeOut(mailboxes[thread], millis) : receive(mailboxes[thread]);
            }
            return waited;
        });
        notifies.interrupt();
        notifies.join();
        StringBuilder answer = new StringBuilder();
        for (int i = 0; i < THREADS; i++) {
            answer.append(i == 0 ? "" : ";").append(entry(mailboxes[i], totals[i].get()));
        }
        return answer.toString();
    }

    private static long timeOut(Mailbox mailbox, int millis) throws InterruptedException {
        synchronized (mailbox) {
            long begun = System.nanoTime();
            mailbox.wait(millis);
            return System.nanoTime() - begun;
        }
    }

    private static long receive(Mailbox mailbox) throws InterruptedException {
        long waited = 0;
        synchronized (mailbox) {
            mailbox.waits = true;
            while (!mailbox.full) {
                long begun = System.nanoTime();
                mailbox.wait(NEVER_MILLIS);
                waited += System.nanoTime() - begun;
            }
            mailbox.full = false;
        }
        return waited;
    }

    /** Notifies each thread that waits to be notified, at intervals, until the calling thread is interrupted. */
    private static void notifyAll(Mailbox[] mailboxes, int millis) {
        try {
            while (true) {
                Thread.sleep(millis);
                for (Mailbox mailbox : mailboxes) {
                    synchronized (mailbox) {
                        if (mailbox.waits) {
                            mailbox.waits = false;
                            mailbox.full = true;
                            mailbox.notifyAll();
                        }
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String interrupt() throws InterruptedException {
        Mailbox mailbox = new Mailbox();
        AtomicLong waited = new AtomicLong();
        Thread thread = LineProtocol.start("is interrupted", () -> {
            synchronized (mailbox) {
                mailbox.waits = true;
                long begun = System.nanoTime();
                try {
                    mailbox.wait(NEVER_MILLIS);
                } catch (InterruptedException e) {
                    waited.set(System.nanoTime() - begun);
                }
            }
        });
        for (boolean waits = false; !waits; ) {
            synchronized (mailbox) {
                waits = mailbox.waits;
            }
        }
        thread.interrupt();
        thread.join();
        return entry(mailbox, waited.get());
    }

    private static String unowned() throws InterruptedException {
        Mailbox mailbox = new Mailbox();
        try {
            mailbox.wait(1);
            return "no exception";
        } catch (IllegalMonitorStateException e) {
            return entry(mailbox, 0);
        }
    }

    private static String own(boolean virtual) throws ReflectiveOperationException, InterruptedException {
        Object monitor = new Account();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leaves = new CountDownLatch(1);
        left = leaves;
        AtomicLong id = new AtomicLong();
        Runnable owner = () -> {
            synchronized (monitor) {
                id.set(Thread.currentThread().getId());
                entered.countDown();
                try {
                    leaves.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        if (virtual) {
            LineProtocol.startVirtual(owner);
        } else {
            LineProtocol.start("owns", owner);
        }
        entered.await();
        LineProtocol.start("waits for the owner", () -> {
            synchronized (monitor) {
                Work.sink++;
            }
        });
        return Long.toString(id.get());
    }
}
