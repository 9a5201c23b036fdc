package mayfly.targets;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Threads parked below calls that compilers and the VM treat in special ways. */
final class BlockedInCalls {
    private static final int WARM = 30_000;
    private static volatile boolean hold;

    interface Greeter {
        default void greet(String name) {
            LockSupport.park(name);
        }
    }

    private BlockedInCalls() {}

    static void start() throws ReflectiveOperationException {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandle handle =
                lookup.findStatic(BlockedInCalls.class, "parkHere", MethodType.methodType(void.class, Object.class));
        MethodHandle bound = MethodHandles.insertArguments(handle, 0, "bound");
        Method method = BlockedInCalls.class.getDeclaredMethod("parkHere", Object.class);
        Blocked.start("lambda", () -> {
            Runnable inner = () -> parkHere("lambda");
            inner.run();
        });
        Blocked.start("method-handle", () -> {
            handle.invokeExact((Object) "handle");
        });
        Blocked.start("method-handle-bound", () -> {
            bound.invokeExact();
        });
        Blocked.start("reflection", () -> method.invoke(null, "reflection"));
        Blocked.start("reflection-warm", () -> reflectionWarm(method));
        Blocked.start(
                "stream",
                () -> List.of(1, 2, 3).stream()
                        .map(x -> x + 1)
                        .filter(x -> x > 2)
                        .forEach(BlockedInCalls::parkHere));
        Blocked.start(
                "int-stream",
                () -> IntStream.range(0, 5)
                        .boxed()
                        .sorted(Comparator.reverseOrder())
                        .anyMatch(BlockedInCalls::parkAndAnswer));
        Blocked.start("comparator", () -> new TreeSet<Integer>((a, b) -> parkAndAnswer(a) ? 1 : 0).add(1));
        Blocked.start(
                "compute-if-absent",
                () -> new ConcurrentHashMap<String, Boolean>().computeIfAbsent("key", BlockedInCalls::parkAndAnswer));
        Callable<?> proxy = (Callable<?>) Proxy.newProxyInstance(
                BlockedInCalls.class.getClassLoader(),
                new Class<?>[] {Callable.class},
                (self, called, values) -> parkAndAnswer(called));
        Blocked.start("proxy", proxy::call);
        Blocked.start("default-method", () -> new Greeter() {}.greet("default"));
        Blocked.start("recursion-3000", () -> down(3_000));
        Blocked.start("many-arguments", () -> many(1, 2L, 3f, 4d, 5, 6L, 7f, 8d, 9, 10L, "eleven"));
        Blocked.start("finally", BlockedInCalls::inFinally);
        Blocked.start("catch", BlockedInCalls::inCatch);
        Blocked.start("compiled", () -> compiled(false));
        Blocked.start("compiled-deoptimised", () -> compiled(true));
        Blocked.start("generic-bridge", () -> new Later().compareTo("later"));
    }

    static void parkHere(Object why) {
        LockSupport.park(why);
    }

    private static boolean parkAndAnswer(Object why) {
        LockSupport.park(why);
        return why.hashCode() == 0;
    }

    /** Calls a method until the JDK replaces the implementation of the call, then parks in it. */
    private static void reflectionWarm(Method method) throws ReflectiveOperationException {
        for (int i = 0; i < 200; i++) {
            LockSupport.unpark(Thread.currentThread());
            method.invoke(null, "warm");
        }
        method.invoke(null, "hold");
    }

    private static long down(int levels) {
        if (levels == 0) {
            LockSupport.park();
            return 0;
        }
        return down(levels - 1) + levels;
    }

    private static double many(
            int a, long b, float c, double d, int e, long f, float g, double h, int i, long j, String k) {
        LockSupport.park(k);
        return a + b + c + d + e + f + g + h + i + j;
    }

    private static void inFinally() {
        try {
            Work.sink = 1;
        } finally {
            LockSupport.park();
        }
    }

    private static void inCatch() {
        try {
            throw new IllegalStateException("to be caught");
        } catch (IllegalStateException e) {
            LockSupport.park(e);
        }
    }

    /**
     * Warms a chain of calls until it is compiled and inlined, then parks at its end. The warm-up takes the path to
     * the park regularly, so that the frames stay compiled, or never, so that the compiler omits the path.
     */
    private static void compiled(boolean surprise) {
        long x = 0;
        for (int i = 0; i < WARM; i++) {
            if (!surprise && i % 8 == 0) {
                LockSupport.unpark(Thread.currentThread());
                x = outer(i, true);
            } else {
                x += outer(i, false);
            }
        }
        hold = true;
        while (hold) {
            x += outer(1, true);
        }
        Work.sink = x;
    }

    private static long outer(long x, boolean park) {
        return middle(x + 1, park) * 3;
    }

    private static long middle(long x, boolean park) {
        return inner(x ^ 5, park) + 1;
    }

    private static long inner(long x, boolean park) {
        if (park) {
            LockSupport.park();
        }
        return x * 31;
    }

    private static final class Later implements Comparable<String> {
        @Override
        public int compareTo(String other) {
            LockSupport.park(other);
            return 0;
        }
    }
}
