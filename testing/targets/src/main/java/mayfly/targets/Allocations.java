package mayfly.targets;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Allocates objects on command. {@code allocate KIND MIB} allocates about that many MiB of one kind in four threads,
 * and answers with the number of bytes; {@code virtual KIND MIB} does so in virtual threads. The sizes of the objects
 * are those of a JVM with compressed class pointers.
 */
public final class Allocations {
    private static final int THREADS = 4;
    private static final int KEPT = 64;
    private static final int BIG = 48 << 10;
    private static final byte[] LETTERS = "abcdefghijklmnopqrstuvwxyz".getBytes(StandardCharsets.US_ASCII);

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
            return Long.toString(run(words[0].equals("virtual"), kind(words[1]), Long.parseLong(words[2]) << 20));
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

    private static long run(boolean virtual, Kind kind, long bytes)
            throws ReflectiveOperationException, InterruptedException {
        AtomicLong allocated = new AtomicLong();
        CountDownLatch ended = new CountDownLatch(THREADS);
        Runnable body = () -> {
            allocated.addAndGet(kind.allocate(bytes / THREADS, new AtomicReferenceArray<>(KEPT)));
            ended.countDown();
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
        return allocated.get();
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
