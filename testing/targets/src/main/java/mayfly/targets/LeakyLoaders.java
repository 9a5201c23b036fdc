package mayfly.targets;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Keeps class loaders by references that a program may forget, on request.
 *
 * <ul>
 * <li>{@code hold N} holds N further objects of {@link Held}.
 * <li>{@code static NAME} loads {@link Guest} in a new loader and keeps an object of it in a static map under this
 *     name; {@code thread-local} keeps it in a thread-local variable of the thread {@code worker}; {@code weak} keeps
 *     it in a weak reference only.
 * <li>{@code forget} releases all of them; {@code collect} collects.
 * </ul>
 */
public final class LeakyLoaders {
    private static final List<Held> held = new ArrayList<>();
    private static final Map<String, Object> registry = new HashMap<>();
    private static final List<Object> weak = new ArrayList<>();
    private static final ThreadLocal<Object> local = new ThreadLocal<>();
    private static final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

    private LeakyLoaders() {}

    /** An object whose number the program knows. */
    static final class Held {}

    /** The class that each loader defines. */
    public static final class Guest {}

    private static final class Loader extends ClassLoader {
        Object load(byte[] bytes) throws ReflectiveOperationException {
            return defineClass(Guest.class.getName(), bytes, 0, bytes.length)
                    .getConstructor()
                    .newInstance();
        }
    }

    public static void main(String[] args) throws IOException {
        byte[] guest;
        try (InputStream in = LeakyLoaders.class.getResourceAsStream("LeakyLoaders$Guest.class")) {
            guest = in.readAllBytes();
        }
        LineProtocol.start("worker", LeakyLoaders::work);
        LineProtocol.untilExit("leaky", line -> answer(line.split(" ", 2), guest));
    }

    private static void work() {
        try {
            while (true) {
                tasks.take().run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String answer(String[] words, byte[] guest) {
        try {
            switch (words[0]) {
                case "hold":
                    for (int i = 0; i < Integer.parseInt(words[1]); i++) {
                        held.add(new Held());
                    }
                    return "held";
                case "static":
                    registry.put(words[1], new Loader().load(guest));
                    return "kept";
                case "thread-local":
                    Object kept = new Loader().load(guest);
                    return onWorker(() -> local.set(kept));
                case "weak":
                    weak.add(new java.lang.ref.WeakReference<>(new Loader().load(guest)));
                    return "kept";
                case "forget":
                    registry.clear();
                    return onWorker(local::remove);
                case "collect":
                    System.gc();
                    return "collected";
                default:
                    return "?";
            }
        } catch (ReflectiveOperationException e) {
            return e.toString();
        }
    }

    private static String onWorker(Runnable task) {
        LinkedBlockingQueue<String> done = new LinkedBlockingQueue<>();
        tasks.add(() -> {
            task.run();
            done.add("done");
        });
        try {
            return done.take();
        } catch (InterruptedException e) {
            return e.toString();
        }
    }
}
