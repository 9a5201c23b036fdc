package mayfly.hotspot.inventory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.inventory.VmInventory.Undetermined;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.Unreadable;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.threads.ThreadList;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.ManagedThread;

/**
 * A program's registrations with the JDK, read from the objects of the JDK's own classes. Each query returns a complete
 * answer as of one moment, or fails with the reason. Names are untrusted text.
 */
public final class Registrations implements RegistrationQueries {
    static final List<VmField> NEEDS = List.of(
            VmField.STRING_KLASS,
            VmField.KLASS_JAVA_MIRROR,
            VmField.KLASS_SUPER,
            VmField.THREAD_KLASS,
            VmField.THREAD_OBJECT);
    private static final String HOOKS = "java.lang.ApplicationShutdownHooks";
    private static final String MANAGEMENT = "java.lang.management.ManagementFactory";
    private static final String FLIGHT_RECORDER = "jdk.jfr.FlightRecorder";
    private static final String LOG_MANAGER = "java.util.logging.LogManager";
    private static final String SIGNAL = "jdk.internal.misc.Signal";
    /**
     * Classes of the boot loader, which never unloads them. If a class is not loaded, nothing is registered with it.
     */
    static final Set<String> CLASSES = Set.of(HOOKS, MANAGEMENT, FLIGHT_RECORDER, LOG_MANAGER, SIGNAL);

    /** Reads objects once. */
    private interface Reading {
        void read(HeapObjects objects, List<String> into) throws MemoryFault, BadMetadata, Unreadable;
    }

    private final VmInventory inventory;
    private final ThreadList threads;
    private final long threadKlass;
    private final Map<String, Long> klasses;

    Registrations(VmInventory inventory, ThreadList threads, long threadKlass, Map<String, Long> klasses) {
        this.inventory = inventory;
        this.threads = threads;
        this.threadKlass = threadKlass;
        this.klasses = klasses;
    }

    private List<String> of(Reading reading) throws Undetermined {
        return inventory.unmoved(NEEDS, objects -> {
            List<String> found = new ArrayList<>();
            reading.read(objects, found);
            return found;
        });
    }

    private List<String> of(String className, Reading reading) throws Undetermined {
        return klasses.containsKey(className) ? of(reading) : List.of();
    }

    private long klass(String className) {
        return klasses.getOrDefault(className, 0L);
    }

    @Override
    public List<String> shutdownHooks() throws Undetermined {
        return of(HOOKS, (objects, into) -> {
            long map = objects.inStatic(klass(HOOKS), "hooks"); // an IdentityHashMap: keys and values alternate
            long[] table = map == 0 ? new long[0] : objects.elements(objects.in(map, "table"));
            for (int i = 0; i + 1 < table.length; i += 2) {
                if (table[i] != 0) {
                    into.add(thread(objects, table[i]));
                }
            }
        });
    }

    private static String thread(HeapObjects objects, long thread) throws MemoryFault, BadMetadata, Unreadable {
        long task =
                objects.has(thread, "holder") ? objects.along(thread, "holder", "task") : objects.in(thread, "target");
        return "\"" + objects.text(objects.in(thread, "name")) + "\" (" + objects.className(thread) + ")"
                + (task == 0 ? "" : ", runs " + objects.className(task));
    }

    @Override
    public List<String> uncaughtExceptionHandlers() throws Undetermined {
        return of((objects, into) -> {
            long handler = objects.inStatic(threadKlass, "defaultUncaughtExceptionHandler");
            if (handler != 0) {
                into.add("default: " + objects.className(handler));
            }
            List<ManagedThread> all = new ArrayList<>();
            threads.forEach((tid, javaThread) -> all.add(new ManagedThread(tid, javaThread)));
            for (ManagedThread each : all) {
                long thread = objects.threadOf(each.handle());
                long own = thread == 0 ? 0 : objects.in(thread, "uncaughtExceptionHandler");
                if (own != 0) {
                    into.add("thread \"" + objects.text(objects.in(thread, "name")) + "\": " + objects.className(own));
                }
            }
        });
    }

    @Override
    public List<String> signals() throws Undetermined {
        return of(
                SIGNAL,
                (objects, into) -> objects.entries(
                        objects.inStatic(klass(SIGNAL), "signals"),
                        (number, signal) -> into.add(Integer.toString(objects.intIn(signal, "number")))));
    }

    @Override
    public List<String> mbeans() throws Undetermined {
        return of(MANAGEMENT, (objects, into) -> {
            long server = objects.inStatic(klass(MANAGEMENT), "platformMBeanServer");
            long domains = objects.along(server, "mbsInterceptor", "repository", "domainTb");
            objects.entries(
                    domains,
                    (domain, names) -> objects.entries(
                            names,
                            (key, named) -> into.add(objects.text(objects.along(named, "name", "_canonicalName")))));
        });
    }

    @Override
    public List<String> flightRecordings() throws Undetermined {
        return of(FLIGHT_RECORDER, (objects, into) -> {
            long recorder = objects.inStatic(klass(FLIGHT_RECORDER), "platformRecorder");
            long list = objects.along(recorder, "internal", "recordings"); // an ArrayList
            int size = list == 0 ? 0 : objects.intIn(list, "size");
            long[] recordings = size == 0 ? new long[0] : objects.elements(objects.in(list, "elementData"));
            for (int i = 0; i < Math.min(size, recordings.length); i++) {
                long recording = recordings[i];
                into.add(objects.longIn(recording, "id") + " \"" + objects.text(objects.in(recording, "name")) + "\" "
                        + objects.text(objects.along(recording, "state", "name")));
            }
        });
    }

    @Override
    public List<String> logLevels() throws Undetermined {
        return of(LOG_MANAGER, (objects, into) -> {
            long manager = objects.inStatic(klass(LOG_MANAGER), "manager");
            if (manager == 0) {
                return;
            }
            for (String context : List.of("systemContext", "userContext")) {
                objects.entries(objects.along(manager, context, "namedLoggers"), (key, reference) -> {
                    long logger = objects.in(reference, "referent");
                    long level = objects.along(logger, "config", "levelObject");
                    if (level != 0) {
                        into.add("\"" + objects.text(key) + "\" = " + objects.text(objects.in(level, "name"))
                                + (context.startsWith("system") ? ", of the JDK" : ""));
                    }
                });
            }
        });
    }
}
