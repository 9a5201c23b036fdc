package mayfly.targets;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A thread, {@code hides}, parked below every kind of call for which the JVM hides frames. It answers a line with the
 * thread's stack from an exception, starting at {@code bottom}: class and method with a dot, separated by blanks.
 */
public final class HiddenFrames {
    private static final CountDownLatch down = new CountDownLatch(1);
    private static volatile String trace = "";

    private HiddenFrames() {}

    public static void main(String[] args) throws Exception {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandle bottom =
                lookup.findStatic(HiddenFrames.class, "bottom", MethodType.methodType(String.class, String.class));
        MethodHandle upper = lookup.findVirtual(String.class, "toUpperCase", MethodType.methodType(String.class));
        MethodHandle chain = MethodHandles.filterReturnValue(MethodHandles.filterArguments(bottom, 0, upper), upper);
        Method reflected = HiddenFrames.class.getDeclaredMethod("reflected", MethodHandle.class);
        InvocationHandler handler = (self, method, values) -> reflected.invoke(null, chain);
        Supplier<?> proxy = (Supplier<?>)
                Proxy.newProxyInstance(HiddenFrames.class.getClassLoader(), new Class<?>[] {Supplier.class}, handler);
        VarHandle element = MethodHandles.arrayElementVarHandle(Object[].class);
        Function<Supplier<?>, Object> got = Supplier::get;
        LineProtocol.start(
                "hides",
                () -> List.of(proxy).stream()
                        .map(each -> got.apply(each))
                        .map(each -> {
                            element.setVolatile(new Object[1], 0, each);
                            return each;
                        })
                        .forEach(System.out::println));
        down.await();
        LineProtocol.untilExit("hides", line -> trace);
    }

    static Object reflected(MethodHandle chain) throws Throwable {
        return (String) chain.invoke("x");
    }

    static String bottom(String x) {
        List<String> names = new ArrayList<>();
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            names.add(frame.getClassName() + "." + frame.getMethodName());
        }
        trace = String.join(" ", names);
        down.countDown();
        while (true) {
            LockSupport.park();
        }
    }
}
