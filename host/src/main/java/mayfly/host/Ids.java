package mayfly.host;

import java.util.ArrayList;
import java.util.List;
import mayfly.api.ClassId;
import mayfly.api.ModuleId;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.ThreadId;
import org.jspecify.annotations.Nullable;

/** Ids of the application's threads, classes and modules. Nothing here holds one alive. A thread's id is the JVM's own number. */
final class Ids {
    /** The one runtime that a host is in. */
    static final int RUNTIME = 1;

    private final Identities<Class<?>> classes = new Identities<>();
    private final Identities<Module> modules = new Identities<>();

    ThreadId of(Thread thread) {
        return new ThreadId(RUNTIME, thread.getId());
    }

    ClassId of(Class<?> type) {
        return new ClassId(RUNTIME, classes.of(type));
    }

    ModuleId of(Module module) {
        return new ModuleId(RUNTIME, modules.of(module));
    }

    /** Its id if it had none yet, else null. */
    @Nullable ModuleId ofNew(Module module) {
        long fresh = modules.ofNew(module);
        return fresh == 0 ? null : new ModuleId(RUNTIME, fresh);
    }

    /** Numbers of classes that have been collected, each once. */
    long[] takeGoneClasses() {
        return classes.takeGone();
    }

    /** Numbers of modules that have been collected, each once. */
    long[] takeGoneModules() {
        return modules.takeGone();
    }

    Class<?> type(ClassId id) {
        Class<?> type = id.runtime() == RUNTIME ? classes.object(id.value()) : null;
        if (type == null) {
            throw new ProfilerException(Status.UNKNOWN_ID, "no class has the id " + id.value());
        }
        return type;
    }

    Module module(ModuleId id) {
        Module module = id.runtime() == RUNTIME ? modules.object(id.value()) : null;
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
