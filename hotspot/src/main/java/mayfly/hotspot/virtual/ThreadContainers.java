package mayfly.hotspot.virtual;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.Unreadable;
import mayfly.process.MemoryFault;
import org.jspecify.annotations.Nullable;

/**
 * Finds the virtual threads of a VM, and other threads in the same containers, as jdk.internal.vm.ThreadContainers in
 * the JDK does. They are in three places: in the root container, which has those that no other container started; in
 * the registered containers, which are those of executors and pools; and in the scopes that a thread owns, which only
 * the thread itself refers to.
 */
final class ThreadContainers {
    static final String CONTAINERS = "jdk.internal.vm.ThreadContainers";
    /** Not loaded if the program runs with -Djdk.trackAllThreads=false. */
    static final String ROOT = CONTAINERS + "$RootContainer$TrackingRootContainer";
    /** Loaded in place of the other one, if the program runs with -Djdk.trackAllThreads=false. */
    static final String COUNTING_ROOT = CONTAINERS + "$RootContainer$CountingRootContainer";

    /** The fields in which the classes of containers have their threads, or the flock that has them. */
    private static final List<String> THREADS = List.of("threads", "virtualThreads");

    private static final String FLOCK = "flock";
    private static final int MAX_SCOPES = 1_000_000;

    private final JavaHeap heap;
    private final HeapObjects objects;
    private final Budget budget;
    private final ConcurrentKeys keys;
    private final Map<Long, Integer> scopeFields = new HashMap<>();
    private final AddressSet found = new AddressSet();
    private final AddressSet scopes = new AddressSet();
    /** The class whose field was needed last, and the offset of that field. */
    private long lastKlass;

    private @Nullable Integer lastField;

    ThreadContainers(JavaHeap heap, HeapObjects objects, Budget budget) {
        this.heap = heap;
        this.objects = objects;
        this.budget = budget;
        this.keys = new ConcurrentKeys(heap, objects, budget);
    }

    /**
     * Returns the addresses of the threads.
     *
     * @param classes the Klass of each class that is named above, by its name; absent if it is not loaded
     * @param platform the Thread objects of the platform threads, which may own scopes
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if an object cannot be read; the exception has the reason
     */
    AddressSet threads(Map<String, Long> classes, List<Long> platform) throws MemoryFault, BadMetadata, Unreadable {
        Long root = classes.get(ROOT);
        if (root != null) {
            addAll(objects.inStatic(root, "VTHREADS"));
        }
        Long containers = classes.get(CONTAINERS);
        if (containers != null) {
            keys.of(objects.inStatic(containers, "CONTAINER_REGISTRY"), reference -> {
                long container = objects.in(reference, "referent");
                if (container != 0) {
                    addAll(threadsOf(container));
                }
            });
        }
        for (long owner : platform) {
            addScopes(owner);
        }
        // Threads in the scopes of a thread are added to the end.
        for (int i = 0; i < found.size(); i++) {
            addScopes(found.get(i));
        }
        return found;
    }

    private void addAll(long set) throws MemoryFault, BadMetadata, Unreadable {
        keys.of(set, found::add);
    }

    /** Returns the set of the threads of a container; 0 if it has none. */
    private long threadsOf(long container) throws MemoryFault, BadMetadata {
        for (String field : THREADS) {
            if (objects.has(container, field)) {
                return objects.in(container, field);
            }
        }
        return objects.has(container, FLOCK) ? objects.along(container, FLOCK, "threads") : 0;
    }

    private void addScopes(long owner) throws MemoryFault, BadMetadata, Unreadable {
        budget.step();
        Integer field = scopeField(owner);
        long scope = field == null ? 0 : heap.reference(owner + field);
        while (scope != 0 && scopes.add(scope)) {
            budget.step();
            if (scopes.size() > MAX_SCOPES) {
                throw new BadMetadata("more than " + MAX_SCOPES + " scopes");
            }
            addAll(objects.has(scope, FLOCK) ? objects.along(scope, FLOCK, "threads") : 0);
            scope = objects.in(scope, "previous");
        }
    }

    /** Returns the offset of the scopes in an object; null if it is no thread. */
    private @Nullable Integer scopeField(long object) throws MemoryFault, BadMetadata {
        long klass = heap.klass(object);
        if (klass != lastKlass) {
            if (!scopeFields.containsKey(klass)) {
                scopeFields.put(klass, objects.offset(object, "headStackableScopes"));
            }
            lastField = scopeFields.get(klass);
            lastKlass = klass;
        }
        return lastField;
    }
}
