package mayfly.targets;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Calls that go through the JDK: reflection, method handles, proxies, lambdas, streams, string concatenation. */
final class StressReflection implements Stress.Load {
    private final Method method;
    private final MethodHandle handle;
    private final MethodHandle guarded;
    private final LongUnaryOperator proxy;

    StressReflection() {
        try {
            method = StressReflection.class.getDeclaredMethod("step", long.class);
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodType type = MethodType.methodType(long.class, long.class);
            handle = lookup.findStatic(StressReflection.class, "step", type);
            MethodHandle test =
                    lookup.findStatic(StressReflection.class, "odd", MethodType.methodType(boolean.class, long.class));
            guarded = MethodHandles.guardWithTest(test, handle, MethodHandles.identity(long.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        proxy = (LongUnaryOperator) Proxy.newProxyInstance(
                StressReflection.class.getClassLoader(),
                new Class<?>[] {LongUnaryOperator.class},
                (self, called, values) -> step((Long) values[0]));
    }

    static boolean odd(long x) {
        return (x & 1) != 0;
    }

    static long step(long x) {
        return Work.spin(20, x);
    }

    @Override
    public long round(int seed) throws Throwable {
        long x = seed;
        for (int i = 0; i < 2_000; i++) {
            x += (Long) method.invoke(null, x);
            x ^= (long) handle.invokeExact(x);
            x += (long) guarded.invokeExact(x);
            x ^= proxy.applyAsLong(x);
            LongUnaryOperator lambda = y -> step(y) + 1;
            x += lambda.andThen(StressReflection::step).applyAsLong(x);
        }
        return x + streams(seed) + text(x);
    }

    private static long streams(int seed) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            words.add("word" + (i * 31 + seed) % 97);
        }
        long groups = words.stream()
                .filter(w -> w.length() > 4)
                .collect(Collectors.groupingBy(w -> w.charAt(4), Collectors.counting()))
                .values()
                .stream()
                .mapToLong(Long::longValue)
                .sum();
        return groups
                + IntStream.range(0, 2_000)
                        .mapToLong(i -> step(i))
                        .filter(StressReflection::odd)
                        .count()
                + words.stream().sorted().distinct().map(String::length).reduce(0, Integer::sum);
    }

    private static int text(long x) {
        int length = 0;
        for (int i = 0; i < 200; i++) {
            length += ("x=" + x + " i=" + i + ' ' + (x > i) + ' ' + x / 3.0f).length();
        }
        return length;
    }
}
