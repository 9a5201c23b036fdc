package mayfly.targets;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Work of a single thread: a sum with a known result, and signals that must arrive. */
final class SelfCheckingWork {
    private static final int SEEDS = 16;
    /** About a millisecond of work. */
    private static final int STEPS = 500_000;

    private static final long LIMIT_SECONDS = 20;

    private SelfCheckingWork() {}

    static void startAll() {
        long[] expected = new long[SEEDS];
        for (int i = 0; i < SEEDS; i++) {
            expected[i] = Work.spin(STEPS, i);
        }
        CheckedStep.start("sum", n -> {
            int seed = (int) (n % SEEDS);
            CheckedStep.check(Work.spin(STEPS, seed) == expected[seed], "the sum from " + seed);
            Thread.sleep(1);
        });
        Semaphore arrived = new Semaphore(0);
        Object signal = handled("USR2", arrived);
        CheckedStep.start("signal", n -> {
            signal.getClass().getMethod("raise", signal.getClass()).invoke(null, signal);
            CheckedStep.check(arrived.tryAcquire(LIMIT_SECONDS, TimeUnit.SECONDS), "signal " + n + " never arrived");
            Thread.sleep(0, 300_000);
        });
    }

    /** A signal and its handler, of a class whose use javac warns about. */
    private static Object handled(String name, Semaphore arrived) {
        try {
            Class<?> type = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object signal = type.getConstructor(String.class).newInstance(name);
            InvocationHandler handler = (proxy, method, args) -> {
                arrived.release();
                return null;
            };
            Object proxy = Proxy.newProxyInstance(
                    SelfCheckingWork.class.getClassLoader(), new Class<?>[] {handlerType}, handler);
            type.getMethod("handle", type, handlerType).invoke(null, signal, proxy);
            return signal;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
