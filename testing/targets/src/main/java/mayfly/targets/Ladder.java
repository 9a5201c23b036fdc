package mayfly.targets;

import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A known chain of calls, parked at its end: run, a, b, c, d, e, park. It answers any line with the thread's frames,
 * leaf first, as {@code class.method:line} separated by blanks.
 */
public final class Ladder {
    private Ladder() {}

    public static void main(String[] args) {
        Thread ladder = LineProtocol.start("ladder", Ladder::a);
        while (ladder.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        LineProtocol.untilExit(
                "ladder",
                line -> Stream.of(ladder.getStackTrace())
                        .map(f -> f.getClassName() + "." + f.getMethodName() + ":" + f.getLineNumber())
                        .collect(Collectors.joining(" ")));
    }

    private static void a() {
        b(1);
    }

    private static void b(int x) {
        c(x + 1L);
    }

    private static void c(long x) {
        d(Long.toString(x), x);
    }

    private static void d(String text, long x) {
        new Rung().e(text, x);
    }

    private static final class Rung {
        void e(String text, long x) {
            while (text.length() < x + 100) {
                LockSupport.park(this);
            }
        }
    }
}
