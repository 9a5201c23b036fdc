package mayfly.targets;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.net.ServerSocket;
import java.nio.channels.ServerSocketChannel;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.management.JMException;
import javax.management.ObjectName;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/**
 * Performs, on request, actions on its own JVM that an audit sees.
 *
 * <ul>
 * <li>{@code socket} opens the first sockets; {@code jfr} starts a flight recording; {@code retransform} has a Java
 *     agent of the command line transform this class.
 * <li>{@code hook}, {@code handler}, {@code mbean}, {@code level} and {@code child} register or start one item each;
 *     {@code thread NAME} starts a permanent thread; {@code pool COUNT} starts that many threads of a pool.
 * <li>{@code jfr-cpu} has the flight recorder sample CPU time (25 and later); {@code handle NAME} and
 *     {@code ignore NAME} set the disposition of a signal.
 * <li>{@code diagnose} is {@link Diagnostics#ask}.
 * </ul>
 */
public final class AuditedActions {
    private static final List<Object> kept = new ArrayList<>();

    private AuditedActions() {}

    /** The interface of the registered MBean. */
    public interface ThingMBean {
        /** An arbitrary number. */
        int getNumber();
    }

    /** The MBean that {@code mbean} registers. */
    public static final class Thing implements ThingMBean {
        @Override
        public int getNumber() {
            return 1;
        }
    }

    public static void main(String[] args) {
        LineProtocol.untilExit("acts", line -> {
            try {
                return act(line.split(" ", 2));
            } catch (IOException | ParseException | JMException | ReflectiveOperationException e) {
                return e.toString();
            }
        });
    }

    private static String act(String[] words)
            throws IOException, ParseException, JMException, ReflectiveOperationException {
        switch (words[0]) {
            case "socket":
                kept.add(new ServerSocket(0));
                kept.add(ServerSocketChannel.open());
                break;
            case "jfr":
                Recording recording = new Recording(Configuration.getConfiguration("default"));
                recording.setName("of the program");
                recording.start();
                kept.add(recording);
                break;
            case "jfr-cpu":
                Recording sampling = new Recording();
                sampling.enable("jdk.CPUTimeSample").with("throttle", "10ms");
                sampling.start();
                kept.add(sampling);
                break;
            case "handle":
                setSignal(
                        words[1],
                        Proxy.newProxyInstance(
                                AuditedActions.class.getClassLoader(),
                                new Class<?>[] {Class.forName("sun.misc.SignalHandler")},
                                (self, method, arguments) -> null));
                break;
            case "ignore":
                setSignal(
                        words[1],
                        Class.forName("sun.misc.SignalHandler")
                                .getField("SIG_IGN")
                                .get(null));
                break;
            case "retransform":
                ClassLoader.getSystemClassLoader()
                        .loadClass("mayfly.profilers.testing.RetransformingAgent")
                        .getMethod("transform", String.class)
                        .invoke(null, AuditedActions.class.getName());
                break;
            case "hook":
                Runtime.getRuntime().addShutdownHook(new Thread(AuditedActions::hashCodes, "a hook"));
                break;
            case "handler":
                Thread.setDefaultUncaughtExceptionHandler(new Handler());
                Thread.currentThread().setUncaughtExceptionHandler(new Handler());
                break;
            case "mbean":
                ManagementFactory.getPlatformMBeanServer()
                        .registerMBean(new Thing(), new ObjectName("mayfly.testing:type=Thing"));
                break;
            case "level":
                Logger logger = Logger.getLogger("mayfly.testing.logger");
                logger.setLevel(Level.FINER);
                kept.add(logger);
                break;
            case "child":
                kept.add(new ProcessBuilder("cat").start());
                break;
            case "thread":
                stay(words[1]);
                break;
            case "pool":
                for (int i = 1; i <= Integer.parseInt(words[1]); i++) {
                    stay("pool-7-thread-" + i);
                }
                break;
            case "diagnose":
                return Diagnostics.ask(words[1]);
            default:
                return "?";
        }
        return "done";
    }

    /** Uses reflection: javac warns about sun.misc, and the warning cannot be suppressed. */
    private static void setSignal(String name, Object handler) throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        signal.getMethod("handle", signal, Class.forName("sun.misc.SignalHandler"))
                .invoke(null, signal.getConstructor(String.class).newInstance(name), handler);
    }

    private static void stay(String name) {
        CountDownLatch runs = new CountDownLatch(1);
        LineProtocol.start(name, () -> {
            runs.countDown();
            synchronized (runs) {
                while (true) {
                    try {
                        runs.wait();
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            }
        });
        try {
            runs.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void hashCodes() {
        kept.hashCode();
    }

    /** Prints nothing. */
    private static final class Handler implements Thread.UncaughtExceptionHandler {
        @Override
        public void uncaughtException(Thread thread, Throwable thrown) {
            kept.clear();
        }
    }
}
