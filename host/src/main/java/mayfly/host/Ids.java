package mayfly.host;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import mayfly.api.ClassId;
import mayfly.api.ModuleId;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.ThreadId;
import org.jspecify.annotations.Nullable;

/**
 * Ids of the application's threads, classes and modules. Nothing here holds one alive. A thread's id is the JVM's own number; a
 * class's is its tag in JVMTI, so that its end is told by that number; a module's is ours.
 */
final class Ids {
    /** The one runtime that a host is in. */
    static final int RUNTIME = 1;

    private final Map<Long, WeakReference<Class<?>>> classes = new ConcurrentHashMap<>();
    private final AtomicLong lastClass = new AtomicLong();
    private final Object tagging = new Object();

    /** Both by {@link #modules} as lock. */
    private final Map<KnownModule, KnownModule> modules = new HashMap<>();
    private final Map<Long, KnownModule> modulesById = new HashMap<>();
    private final ReferenceQueue<Module> goneModules = new ReferenceQueue<>();
    private long lastModule;

    /** A module by identity. */
    private static final class KnownModule extends WeakReference<Module> {
        private final int hash;
        private final long id;

        KnownModule(Module module, long id, @Nullable ReferenceQueue<Module> queue) {
            super(module, queue);
            this.hash = System.identityHashCode(module);
            this.id = id;
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            Module module = get();
            return this == other || module != null && other instanceof KnownModule && ((KnownModule) other).get() == module;
        }
    }

    ThreadId of(Thread thread) {
        return new ThreadId(RUNTIME, thread.getId());
    }

    /** Two threads may meet a class at once: one of them gives the tag. No callback runs meanwhile. */
    ClassId of(Class<?> type) {
        long tag = Vm.tag(type);
        if (tag == 0) {
            synchronized (tagging) {
                tag = Vm.tag(type);
                if (tag == 0) {
                    tag = lastClass.incrementAndGet();
                    classes.put(tag, new WeakReference<>(type));
                    Vm.setTag(type, tag);
                }
            }
        }
        return new ClassId(RUNTIME, tag);
    }

    ClassId classId(long tag) {
        return new ClassId(RUNTIME, tag);
    }

    /** Whether it was known. */
    boolean forgetClass(long tag) {
        return classes.remove(tag) != null;
    }

    Class<?> type(ClassId id) {
        WeakReference<Class<?>> known = id.runtime() == RUNTIME ? classes.get(id.value()) : null;
        Class<?> type = known == null ? null : known.get();
        if (type == null) {
            throw new ProfilerException(Status.UNKNOWN_ID, "no class has the id " + id.value());
        }
        return type;
    }

    ModuleId of(Module module) {
        synchronized (modules) {
            return new ModuleId(RUNTIME, known(module).id);
        }
    }

    /** Its id if it had none yet, else null. */
    @Nullable ModuleId ofNew(Module module) {
        synchronized (modules) {
            long before = lastModule;
            KnownModule known = known(module);
            return known.id > before ? new ModuleId(RUNTIME, known.id) : null;
        }
    }

    private KnownModule known(Module module) {
        KnownModule asked = new KnownModule(module, lastModule + 1, null);
        KnownModule known = modules.get(asked);
        if (known == null) {
            known = new KnownModule(module, ++lastModule, goneModules);
            modules.put(known, known);
            modulesById.put(known.id, known);
        }
        return known;
    }

    /** A module that has been collected, each once, or null. */
    @Nullable ModuleId nextGoneModule() {
        KnownModule gone = (KnownModule) goneModules.poll();
        if (gone == null) {
            return null;
        }
        synchronized (modules) {
            modules.remove(gone);
            modulesById.remove(gone.id);
        }
        return new ModuleId(RUNTIME, gone.id);
    }

    Module module(ModuleId id) {
        KnownModule known;
        synchronized (modules) {
            known = id.runtime() == RUNTIME ? modulesById.get(id.value()) : null;
        }
        Module module = known == null ? null : known.get();
        if (module == null) {
            throw new ProfilerException(Status.UNKNOWN_ID, "no module has the id " + id.value());
        }
        return module;
    }

    /** The platform threads that live now. */
    static List<Thread> liveThreads() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] found = new Thread[root.activeCount() + 16];
        int count = root.enumerate(found, true);
        while (count == found.length) {
            found = new Thread[found.length * 2];
            count = root.enumerate(found, true);
        }
        List<Thread> threads = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            threads.add(found[i]);
        }
        return threads;
    }

    /** A live thread. */
    Thread thread(ThreadId id) {
        if (id.runtime() == RUNTIME) {
            for (Thread thread : liveThreads()) {
                if (thread.getId() == id.value()) {
                    return thread;
                }
            }
        }
        throw new ProfilerException(Status.THREAD_GONE, "no live thread has the id " + id.value());
    }
}
