package mayfly.host;

import java.lang.ref.WeakReference;
import mayfly.api.ClassId;
import mayfly.api.ModuleId;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.ThreadId;
import mayfly.api.code.LoaderId;
import mayfly.api.code.MethodId;
import mayfly.host.id.Identities;
import mayfly.host.id.Threads;
import org.jspecify.annotations.Nullable;

/**
 * Ids of the application's threads, classes, methods, loaders and modules. This class keeps none of them alive. A
 * thread's id is the JVM's own number, read from the field of {@link Thread}, so no method is called that a class of
 * the program may override.
 */
class Ids {
    private static final int NAMED_CAPACITY = 1024;

    private final int runtime;
    private final Identities<Class<?>> classes = new Identities<>();
    private final Identities<Module> modules = new Identities<>();
    private final Identities<ClassLoader> loaders = new Identities<>();
    private final Threads threads = new Threads();
    /** Numbers of methods that were looked up by name, each at its hash: a later one takes the place of an earlier. */
    private final @Nullable Named[] named = new Named[NAMED_CAPACITY];

    /** @param runtime the rank of the JVM in its process, which all ids contain */
    Ids(int runtime) {
        this.runtime = runtime;
    }

    int runtime() {
        return runtime;
    }

    /** Returns the number of an enumeration that begins now. */
    long nextSequence() {
        return Vm.nextSequence();
    }

    ThreadId of(Thread thread) {
        long number = number(thread);
        threads.add(thread, number);
        return new ThreadId(runtime, number);
    }

    ClassId of(Class<?> type) {
        return new ClassId(runtime, classes.of(type));
    }

    ModuleId of(Module module) {
        return new ModuleId(runtime, modules.of(module));
    }

    LoaderId of(ClassLoader loader) {
        return new LoaderId(runtime, loaders.of(loader));
    }

    /** Returns the id of the loader that had this number. */
    LoaderId ofLoader(long number) {
        return new LoaderId(runtime, number);
    }

    /** Returns the numbers of collected loaders, each once. */
    long[] takeGoneLoaders() {
        return loaders.takeGone();
    }

    ClassLoader loader(LoaderId id) {
        requireOwn(id.runtime());
        ClassLoader loader = loaders.object(id.value());
        if (loader == null) {
            throw new ProfilerException(Status.UNKNOWN_ID, "no class loader has the id " + id.value());
        }
        return loader;
    }

    private static final class Named {
        private final long type;
        private final String name;
        private final int number;

        Named(long type, String name, int number) {
            this.type = type;
            this.name = name;
            this.number = number;
        }
    }

    /** Returns the id of the only method of that name in a class; null if there is not exactly one. */
    @Nullable
    MethodId methodOf(Class<?> type, ClassId id, String name) {
        int at = ((int) id.value() * 31 + name.hashCode()) & (NAMED_CAPACITY - 1);
        Named known = named[at];
        if (known == null || known.type != id.value() || !known.name.equals(name)) {
            known = new Named(id.value(), name, methodNumber(type, name));
            named[at] = known;
        }
        return known.number < 0 ? null : new MethodId(id, known.number);
    }

    int methodNumber(Class<?> type, String name) {
        return Vm.methodNumber(type, name);
    }

    /**
     * Returns true if the calling thread is changing one of the tables, so that no id may be requested now: an
     * allocation during the change has caused an event.
     */
    boolean isInUse() {
        return Thread.holdsLock(classes)
                || Thread.holdsLock(modules)
                || Thread.holdsLock(loaders)
                || Thread.holdsLock(threads);
    }

    /** Returns true if the object is the lock of one of the tables. */
    boolean isOwnLock(Object object) {
        return object == classes || object == modules || object == loaders || object == threads;
    }

    /** Records that the start of a thread's wait was reported. The thread's id has been requested before. */
    void started(ThreadId thread, boolean waits) {
        threads.started(thread.value(), waits);
    }

    /** Returns true if the start of the thread's present wait was reported. */
    boolean finished(ThreadId thread, boolean waits) {
        return threads.finished(thread.value(), waits);
    }

    /** Called when the reports begin again: the end of a wait before that was not reported. */
    void forgetStarts() {
        threads.forgetStarts();
    }

    /** Returns the id of the class that had this number. */
    ClassId ofClass(long number) {
        return new ClassId(runtime, number);
    }

    /** Returns the id of the module that had this number. */
    ModuleId ofModule(long number) {
        return new ModuleId(runtime, number);
    }

    /** Returns the module's id if it had none yet; otherwise null. */
    @Nullable
    ModuleId ofNew(Module module) {
        long fresh = modules.ofNew(module);
        return fresh == 0 ? null : new ModuleId(runtime, fresh);
    }

    /** Returns the numbers of collected classes, each once. */
    long[] takeGoneClasses() {
        return classes.takeGone();
    }

    /** Returns the numbers of collected modules, each once. */
    long[] takeGoneModules() {
        return modules.takeGone();
    }

    boolean isOwn(ClassId id) {
        return id.runtime() == runtime;
    }

    Class<?> type(ClassId id) {
        requireOwn(id.runtime());
        Class<?> type = classes.object(id.value());
        if (type == null) {
            throw new ProfilerException(Status.UNKNOWN_ID, "no class has the id " + id.value());
        }
        return type;
    }

    /** Returns a reference to a class, for a caller that may not refer to the class itself. */
    WeakReference<Class<?>> reference(ClassId id) {
        requireOwn(id.runtime());
        WeakReference<Class<?>> type = classes.reference(id.value());
        if (type == null) {
            throw new ProfilerException(Status.UNKNOWN_ID, "no class has the id " + id.value());
        }
        return type;
    }

    Module module(ModuleId id) {
        requireOwn(id.runtime());
        Module module = modules.object(id.value());
        if (module == null) {
            throw new ProfilerException(Status.UNKNOWN_ID, "no module has the id " + id.value());
        }
        return module;
    }

    private void requireOwn(int other) {
        if (other != runtime) {
            throw new ProfilerException(
                    Status.UNKNOWN_ID, "the id belongs to runtime " + other + ", and this is runtime " + runtime);
        }
    }

    long number(Thread thread) {
        return Vm.threadId(thread);
    }

    /** Returns the live platform threads. */
    Thread[] liveThreads() {
        Thread[] live = Vm.liveThreads();
        if (live == null) {
            throw new ProfilerException(Status.FAILED, "the JVM does not enumerate its threads");
        }
        return live;
    }

    /**
     * Returns a live thread. All threads are enumerated only if this one has not been seen before, or if the record of
     * its end has been overwritten.
     */
    Thread thread(ThreadId id) {
        requireOwn(id.runtime());
        long number = id.value();
        Thread thread = threads.get(number);
        if (thread == null && !threads.isGone(number)) {
            for (Thread each : liveThreads()) {
                thread = of(each).value() == number ? each : thread;
            }
        }
        if (thread == null || !thread.isAlive()) {
            throw new ProfilerException(Status.THREAD_GONE, "no live thread has the id " + number);
        }
        return thread;
    }
}
