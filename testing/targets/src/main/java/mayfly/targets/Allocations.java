package mayfly.targets;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Allocates objects on command. {@code allocate KIND MIB} allocates about that many MiB of one kind in four threads,
 * and answers with the number of bytes; {@code virtual KIND MIB} does so in virtual threads. {@code alternate ROUNDS
 * MILLISECONDS} allocates small objects, computes, and allocates large arrays in turn in one thread, for that time each
 * or a little longer, and answers with the bytes of the small objects and of the arrays; after {@code stay ROUNDS
 * MILLISECONDS} the thread does not end. The sizes of the objects are those of a JVM with compressed class pointers.
 */
public final class Allocations {
    private static final int THREADS = 4;
    private static final int KEPT = 64;
    private static final int BIG = 48 << 10;
    /** The bytes allocated, and the steps computed, between two looks at the clock. */
    private static final long PART = 4 << 20;

    private static final int STEPS = 500_000;
    private static final long LINGER_NANOS = 200_000_000;
    private static final byte[] LETTERS = "abcdefghijklmnopqrstuvwxyz".getBytes(StandardCharsets.US_ASCII);

    private static volatile long computed;

    private Allocations() {}

    /** An object of 32 bytes: a header of 12, a gap, and two fields. */
    private static final class Small {
        final long first;
        final long second;

        Small(long first) {
            this.first = first;
            this.second = -first;
        }
    }

    /** Allocates until it has allocated this many bytes, and returns the number. The objects are kept for a while. */
    private interface Kind {
        long allocate(long bytes, AtomicReferenceArray<Object> kept);
    }

    public static void main(String[] args) {
        LineProtocol.untilExit("allocates", Allocations::answer);
    }

    private static String answer(String line) {
        String[] words = line.split(" ");
        try {
            switch (words[0]) {
                case "alternate":
                    return alternate(words[1], words[2], LINGER_NANOS);
                case "stay":
                    return alternate(words[1], words[2], Long.MAX_VALUE);
                default:
                    return run(words[0].equals("virtual"), words[1], words[2]);
            }
        } catch (ReflectiveOperationException | InterruptedException e) {
            return e.toString();
        }
    }

    private static Kind kind(String name) {
        switch (name) {
            case "small":
                return Allocations::allocateSmall;
            case "boxes":
                return Allocations::allocateBoxes;
            case "arrays":
                return Allocations::allocateArrays;
            case "nested":
                return Allocations::allocateNested;
            case "strings":
                return Allocations::allocateStrings;
            case "big":
                return Allocations::allocateBig;
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private static String run(boolean virtual, String name, String mebibytes)
            throws ReflectiveOperationException, InterruptedException {
        Kind kind = kind(name);
        long bytes = Long.parseLong(mebibytes) << 20;
        AtomicLong allocated = new AtomicLong();
        CountDownLatch ended = new CountDownLatch(THREADS);
        Runnable body = () -> {
            allocated.addAndGet(kind.allocate(bytes / THREADS, new AtomicReferenceArray<>(KEPT)));
            ended.countDown();
            // The counters of a thread that has ended cannot be read any more.
            LockSupport.parkNanos(LINGER_NANOS);
        };
        Method start = virtual ? Thread.class.getMethod("startVirtualThread", Runnable.class) : null;
        for (int i = 0; i < THREADS; i++) {
            if (virtual) {
                start.invoke(null, body);
            } else {
                LineProtocol.start("allocates " + i, body);
            }
        }
        ended.await();
        return allocated.toString();
    }

    private static String alternate(String count, String milliseconds, long linger) throws InterruptedException {
        int rounds = Integer.parseInt(count);
        long turn = Long.parseLong(milliseconds) * 1_000_000;
        long[] bytes = new long[2];
        CountDownLatch ended = new CountDownLatch(1);
        LineProtocol.start("alternates", () -> {
            AtomicReferenceArray<Object> kept = new AtomicReferenceArray<>(KEPT);
            for (int i = 0; i < rounds; i++) {
                long end = System.nanoTime() + turn;
                while (System.nanoTime() - end < 0) {
                    bytes[0] += allocateSmall(PART, kept);
                }
                end += turn;
                while (System.nanoTime() - end < 0) {
                    computed = compute(computed);
                }
                end += turn;
                while (System.nanoTime() - end < 0) {
                    bytes[1] += allocateBig(PART, kept);
                }
            }
            ended.countDown();
            LockSupport.parkNanos(linger);
        });
        ended.await();
        return bytes[0] + " " + bytes[1];
    }

    /** Each step needs the one before. It allocates nothing. */
    private static long compute(long from) {
        long value = from;
        for (int i = 0; i < STEPS; i++) {
            value = value * 31 + (i ^ value >>> 3);
        }
        return value;
    }

    private static long allocateSmall(long bytes, AtomicReferenceArray<Object> kept) {
        long done = 0;
        for (int i = 0; done < bytes; i++, done += 32) {
            kept.lazySet(i % KEPT, new Small(i));
        }
        return done;
    }

    private static long allocateBoxes(long bytes, AtomicReferenceArray<Object> kept) {
        long done = 0;
        for (int i = 0; done < bytes; i++, done += 24) {
            kept.lazySet(i % KEPT, Long.valueOf(1000L + i));
        }
        return done;
    }

    private static long allocateArrays(long bytes, AtomicReferenceArray<Object> kept) {
        long done = 0;
        for (int i = 0; done < bytes; i++) {
            int half = i % 100;
            kept.lazySet(i % KEPT, new int[2 * half]);
            done += 16 + 8L * half;
        }
        return done;
    }

    /** Each is an array of four references, and four arrays of ten numbers. */
    private static long allocateNested(long bytes, AtomicReferenceArray<Object> kept) {
        long done = 0;
        for (int i = 0; done < bytes; i++, done += 32 + 4 * 96) {
            kept.lazySet(i % KEPT, new long[4][10]);
        }
        return done;
    }

    /** Each is a string, and the array with its 8, 16 or 24 letters. */
    private static long allocateStrings(long bytes, AtomicReferenceArray<Object> kept) {
        long done = 0;
        for (int i = 0; done < bytes; i++) {
            int letters = 8 + 8 * (i % 3);
            kept.lazySet(i % KEPT, new String(LETTERS, 0, letters, StandardCharsets.ISO_8859_1));
            done += 24 + 16 + letters;
        }
        return done;
    }

    private static long allocateBig(long bytes, AtomicReferenceArray<Object> kept) {
        long done = 0;
        for (int i = 0; done < bytes; i++, done += 16 + BIG) {
            kept.lazySet(i % 4, new byte[BIG]);
        }
        return done;
    }
}
