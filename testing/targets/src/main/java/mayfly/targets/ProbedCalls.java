package mayfly.targets;

import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Calls methods on command and counts the calls itself. {@code run ROUNDS}: four threads call the methods, the second
 * twice as often as the first and so on, and the answer has the counts of each: {@code NAME leaf N middle N outer N
 * fails N thrown N down N}, separated by semicolons. {@code virtual ROUNDS} does so in virtual threads. {@code loop}
 * starts a thread that loops in a method until {@code stop}, which answers the number of its rounds. {@code endless}
 * recurses until the stack overflows, and answers whether the exception arrived. {@code time CALLS} calls a method so
 * often, and answers the time in ns; {@code time-other CALLS} calls a method of another class. {@code load THREADS}
 * starts threads that call the methods until {@code unload}, which answers their rounds and errors. {@code hold} starts
 * a thread that calls a method, which waits until {@code release}.
 */
public final class ProbedCalls {
    private static final int THREADS = 4;

    private static volatile boolean looping;
    private static Thread loops;
    private static long rounds;
    private static CountDownLatch released = new CountDownLatch(1);

    private static Thread[] loaded = {};
    private static String expected = "";
    private static final AtomicLong loadRounds = new AtomicLong();
    private static final AtomicLong errors = new AtomicLong();

    private ProbedCalls() {}

    /** The calls of one thread. */
    private static final class Counts {
        private long leaf;
        private long middle;
        private long outer;
        private long fails;
        private long thrown;
        private long down;

        @Override
        public String toString() {
            return " leaf " + leaf + " middle " + middle + " outer " + outer + " fails " + fails + " thrown " + thrown
                    + " down " + down;
        }
    }

    /** The methods. The parameters and results have all kinds of types. */
    private static final class Work {
        private static final String TEXT = "original";

        static int leaf(Counts counts, int number) {
            counts.leaf++;
            return number * 31 + TEXT.length();
        }

        static double middle(Counts counts, long first, double second) {
            counts.middle++;
            long third = first;
            for (int i = 0; i < 2; i++) {
                third += leaf(counts, i);
            }
            return third + second;
        }

        synchronized Object outer(Counts counts, int number) {
            counts.outer++;
            try {
                fails(counts, number);
            } catch (IllegalStateException e) {
                counts.thrown++;
            } finally {
                middle(counts, number, 0.5);
            }
            return this;
        }

        static void fails(Counts counts, int number) {
            counts.fails++;
            if (number % 3 == 0) {
                throw new IllegalStateException();
            }
        }

        static long down(Counts counts, int depth) {
            counts.down++;
            return depth == 0 ? leaf(counts, depth) : 1L + down(counts, depth - 1);
        }

        static long loop(Counts counts) {
            long done = 0;
            while (looping) {
                done += leaf(counts, 1) > 0 ? 1 : 0;
            }
            return done;
        }

        static int endless(int depth) {
            return 1 + endless(depth + 1);
        }

        static void hold() throws InterruptedException {
            released.await();
        }

        private native void missing();
    }

    /** A class without probes. */
    private static final class Other {
        static int leaf(Counts counts, int number) {
            counts.leaf++;
            return number * 31;
        }
    }

    /** The loops of measurements: these methods have no probes, so they are compiled. */
    private static final class Loops {
        private static volatile int result;

        static long leaf(int calls) {
            Counts counts = new Counts();
            long begun = System.nanoTime();
            int sum = 0;
            for (int i = 0; i < calls; i++) {
                sum += Work.leaf(counts, i);
            }
            result = sum;
            return System.nanoTime() - begun;
        }

        static long other(int calls) {
            Counts counts = new Counts();
            long begun = System.nanoTime();
            int sum = 0;
            for (int i = 0; i < calls; i++) {
                sum += Other.leaf(counts, i);
            }
            result = sum;
            return System.nanoTime() - begun;
        }
    }

    /** A method without code. */
    private abstract static class Abstract {
        abstract void nothing();
    }

    public static void main(String[] args) {
        Abstract unused = new Abstract() {
            @Override
            void nothing() {}
        };
        unused.nothing();
        Counts counts = new Counts();
        run(counts, 21);
        expected = counts.toString();
        LineProtocol.untilExit("calls", line -> {
            try {
                return answer(line.split(" "));
            } catch (ReflectiveOperationException | InterruptedException e) {
                return e.toString();
            }
        });
    }

    private static String answer(String[] words) throws ReflectiveOperationException, InterruptedException {
        switch (words[0]) {
            case "run":
                return inThreads(false, Integer.parseInt(words[1]));
            case "virtual":
                return inThreads(true, Integer.parseInt(words[1]));
            case "loop":
                looping = true;
                loops = LineProtocol.start("loops", () -> rounds = Work.loop(new Counts()));
                return "OK";
            case "stop":
                looping = false;
                loops.join();
                return Long.toString(rounds);
            case "endless":
                return endless();
            case "time":
                return Long.toString(Loops.leaf(Integer.parseInt(words[1])));
            case "time-other":
                return Long.toString(Loops.other(Integer.parseInt(words[1])));
            case "load":
                return load(Integer.parseInt(words[1]));
            case "unload":
                return unload();
            case "hold":
                released = new CountDownLatch(1);
                loops = LineProtocol.start("holds", ProbedCalls::hold);
                while (loops.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
                return "OK";
            case "release":
                released.countDown();
                loops.join();
                return "OK";
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static void hold() {
        try {
            Work.hold();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String inThreads(boolean virtual, int each)
            throws ReflectiveOperationException, InterruptedException {
        CountDownLatch ended = new CountDownLatch(THREADS);
        Counts[] counts = new Counts[THREADS];
        Method start = virtual ? Thread.class.getMethod("startVirtualThread", Runnable.class) : null;
        for (int i = 0; i < THREADS; i++) {
            Counts own = new Counts();
            int repeated = each * (i + 1);
            counts[i] = own;
            Runnable body = () -> {
                run(own, repeated);
                ended.countDown();
            };
            if (virtual) {
                start.invoke(null, body);
            } else {
                LineProtocol.start("calls-" + i, body);
            }
        }
        ended.await();
        StringBuilder answer = new StringBuilder();
        for (int i = 0; i < THREADS; i++) {
            answer.append(i == 0 ? "" : ";").append("calls-").append(i).append(counts[i]);
        }
        return answer.toString();
    }

    private static void run(Counts counts, int times) {
        Work work = new Work();
        for (int i = 0; i < times; i++) {
            work.outer(counts, i);
            Work.down(counts, i % 20);
        }
    }

    private static String endless() {
        try {
            return "returned " + Work.endless(0);
        } catch (StackOverflowError e) {
            return "overflow";
        }
    }

    private static String load(int threads) {
        loaded = new Thread[threads];
        looping = true;
        for (int i = 0; i < threads; i++) {
            loaded[i] = LineProtocol.start("load " + i, () -> {
                while (looping) {
                    Counts counts = new Counts();
                    run(counts, 21);
                    if (!counts.toString().equals(expected)) {
                        errors.incrementAndGet();
                    }
                    loadRounds.incrementAndGet();
                }
            });
        }
        return "OK";
    }

    private static String unload() throws InterruptedException {
        looping = false;
        for (Thread each : loaded) {
            each.join();
        }
        return loadRounds.get() + " " + errors.get();
    }
}
