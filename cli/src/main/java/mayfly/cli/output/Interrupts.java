package mayfly.cli.output;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Handles Ctrl-C during a recording: the first ends it early, the second aborts. SIGTERM and SIGHUP are treated like
 * Ctrl-C. A shutdown hook cannot detect a second signal, so this uses {@code sun.misc.Signal}; no option
 * suppresses javac's warning about that class, so access is by reflection.
 */
public final class Interrupts implements AutoCloseable {
    private record Replaced(Object signal, Object handler) {}

    private final List<Replaced> replaced = new ArrayList<>();
    private final AtomicInteger count = new AtomicInteger();
    private final Runnable first;
    private final Runnable second;
    private final Method handle;

    private Interrupts(Runnable first, Runnable second) throws ReflectiveOperationException {
        this.first = first;
        this.second = second;
        Class<?> signalClass = Class.forName("sun.misc.Signal");
        Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
        handle = signalClass.getMethod("handle", signalClass, handlerClass);
        Object handler = Proxy.newProxyInstance(
                Interrupts.class.getClassLoader(),
                new Class<?>[] {handlerClass},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "handle" -> onSignal();
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> "Mayfly's handler";
                });
        for (String name : List.of("INT", "TERM", "HUP")) {
            Object signal = signalClass.getConstructor(String.class).newInstance(name);
            replaced.add(new Replaced(signal, handle.invoke(null, signal, handler)));
        }
    }

    /**
     * Installs the handlers.
     *
     * @param first run at the first signal; must return soon
     * @param second run at the second signal; then the process ends with {@link ExitCode#FAILED}
     */
    public static Interrupts handle(Runnable first, Runnable second) {
        try {
            return new Interrupts(first, second);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("signals cannot be handled: " + e.getCause(), e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("signals cannot be handled", e);
        }
    }

    /** Ignores all of these signals until closed. */
    public static Interrupts ignore() {
        Interrupts ignoring = handle(() -> {}, () -> {});
        ignoring.count.set(2); // the third and later signals have no effect
        return ignoring;
    }

    private Object onSignal() {
        switch (count.incrementAndGet()) {
            case 1 -> first.run();
            case 2 -> {
                second.run();
                Runtime.getRuntime().halt(ExitCode.FAILED.code());
            }
            default -> {}
        }
        return count;
    }

    @Override
    public void close() {
        try {
            for (Replaced r : replaced) {
                handle.invoke(null, r.signal(), r.handler());
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("signal handlers cannot be restored", e);
        }
    }
}
