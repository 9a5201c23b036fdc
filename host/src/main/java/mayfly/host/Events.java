package mayfly.host;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import mayfly.api.CompiledMethod;
import mayfly.api.Event;
import mayfly.api.ModuleId;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.Stamp;
import mayfly.api.Status;
import mayfly.api.event.Delivery;
import mayfly.host.code.CodeTable;
import mayfly.host.event.EventArgument;
import mayfly.host.event.SubscriptionFailure;
import mayfly.host.probe.DeferredClasses;
import mayfly.host.probe.jvm.Probes;
import mayfly.wire.LastingCost;
import mayfly.wire.UpcallKind;
import org.jspecify.annotations.Nullable;

/** The event mask and the delivery of the events in it. */
final class Events {
    /** The events of which JVMTI is a source, and those that can be asynchronous. */
    private static final int SYNCHRONOUS = bits(Delivery.SYNCHRONOUS);

    private static final int ASYNCHRONOUS = bits(Delivery.ASYNCHRONOUS);

    private static int bits(Delivery delivery) {
        int bits = 0;
        for (Event event : Event.values()) {
            bits |= event.canBe(delivery) ? bit(event) : 0;
        }
        return bits;
    }

    /** The asynchronous events that are not in the log. */
    private static final int POLLED = polledBits();

    private static int polledBits() {
        int bits = 0;
        for (Event event : Event.values()) {
            bits |= event.isPolled() ? bit(event) : 0;
        }
        return bits;
    }

    /** The events whose subscription lasts until the JVM ends. */
    private static final int IMMUTABLE = bit(Event.EXCEPTIONS);

    private final Profiler profiler;
    private final Life life;
    /** The events listed in the profiler's manifest, one bit each. */
    private final int declared;

    private final Ids ids;

    /**
     * The subscribed events, one bit each. This is not an EnumSet: each attach defines a new class Event, for which the
     * JVM would compile the methods of the JDK's RegularEnumSet again.
     */
    private volatile int mask;
    /** The events of the mask that are asynchronous. */
    private volatile int logged;
    /** The asynchronous events that the library has enabled. */
    private int begun;

    private final LoggedEvents log;
    private final ObjectEvents objects;
    /** Null if the manifest does not list {@link Event#METHOD_PROBES}. */
    private final @Nullable Probes probes;

    private final CodeTable code = new CodeTable();
    /** True if the profiler was loaded while the JVM started. */
    private volatile boolean launched;
    /** False while the profiler has stopped the reports of exceptions. */
    private volatile boolean reportsExceptions = true;
    /** True between the delivered start of a collection and its end. Only for the host's thread. */
    private boolean collecting;

    Events(Profiler profiler, Life life, int declared, Ids ids) {
        this.profiler = profiler;
        this.life = life;
        this.declared = declared;
        this.ids = ids;
        this.log = new LoggedEvents(profiler, this, ids);
        this.objects = new ObjectEvents(profiler, this, ids);
        this.probes =
                (declared & bit(Event.METHOD_PROBES)) == 0 ? null : new Probes(profiler, new HostedJvm(this, ids));
    }

    LoggedEvents log() {
        return log;
    }

    ObjectEvents objects() {
        return objects;
    }

    CodeTable code() {
        return code;
    }

    Ids ids() {
        return ids;
    }

    @Nullable
    Probes probes() {
        return probes;
    }

    /** Returns the class file with probes of a class that is being redefined; null if it stays as it is. */
    byte @Nullable [] redefined(Object[] argument) {
        return probes == null ? null : probes.redefined(argument);
    }

    Set<Event> mask() {
        return events(mask);
    }

    Set<Event> asynchronous() {
        return events(logged);
    }

    private static Set<Event> events(int bits) {
        Set<Event> events = new LinkedHashSet<>();
        for (Event event : Event.values()) {
            if ((bits & bit(event)) != 0) {
                events.add(event);
            }
        }
        return events;
    }

    boolean has(Event event) {
        return (mask & bit(event)) != 0;
    }

    /** Returns true if the profiler has subscribed to the event, and it is asynchronous. */
    boolean isLogged(Event event) {
        return (logged & bit(event)) != 0;
    }

    /** Returns the stamp of an event that occurs now, in its callback. */
    static Stamp now() {
        return now(System.nanoTime());
    }

    /** Returns the stamp of an event that the host detects now, and that occurred at this time. */
    static Stamp now(long nanos) {
        return new Stamp(Vm.nextSequence0(), nanos);
    }

    /** Returns the stamp of an event that has waited for the host's thread: its number is that of its occurrence. */
    private static Stamp at(Object argument) {
        return new Stamp(EventArgument.sequence(argument), EventArgument.number(argument, 0));
    }

    /** Permits the events that are available only while the JVM starts. */
    void launched() {
        launched = true;
    }

    /** Returns true if the profiler has subscribed to an event from which it cannot unsubscribe. */
    boolean areImmutable() {
        return (mask & IMMUTABLE) != 0;
    }

    /** Replaces the mask, and chooses the delivery of each event. */
    synchronized void set(Set<Event> wanted) {
        Set<Event> synchronous = new LinkedHashSet<>();
        Set<Event> asynchronous = new LinkedHashSet<>();
        for (Event event : wanted) {
            boolean later = event.canBe(Delivery.ASYNCHRONOUS)
                    && !event.isPolled()
                    && (!event.canBe(Delivery.SYNCHRONOUS) || hasLastingCost());
            (later ? asynchronous : synchronous).add(event);
        }
        set(synchronous, asynchronous);
    }

    /** Replaces the mask. Nothing is changed until everything has been checked and prepared. */
    synchronized void set(Set<Event> synchronous, Set<Event> asynchronous) {
        int bits = bits(synchronous, Delivery.SYNCHRONOUS);
        int later = bits(asynchronous, Delivery.ASYNCHRONOUS);
        if ((bits & later & ~bit(Event.STACK_SNAPSHOTS)) != 0) {
            throw new ProfilerException(Status.FAILED, "an event is either synchronous or asynchronous, not both");
        }
        if (life.state() == Life.State.ACTIVE && ((mask ^ bits) & IMMUTABLE) != 0) {
            throw new ProfilerException(
                    Status.IMMUTABLE_FLAGS, Event.EXCEPTIONS + " can be chosen only while the JVM starts");
        }
        ObjectEvents.requirePolled(later);
        if ((bits & SYNCHRONOUS) != 0) {
            SubscriptionFailure.throwIfNotPrepared(Vm.prepareEvents(bits & SYNCHRONOUS));
        }
        if (life.state() == Life.State.ACTIVE) {
            enable(bits & SYNCHRONOUS, later & ASYNCHRONOUS);
        }
        if ((bits & ~(mask & ~logged) & bit(Event.MONITORS)) != 0) {
            ids.forgetStarts();
        }
        if ((bits & bit(Event.COMPILED_METHODS)) == 0) {
            code.forget();
        }
        logged = later;
        mask = bits | later;
    }

    /** Stops the reports of exceptions, or starts them again; the subscription continues. */
    synchronized void reportExceptions(boolean reported) {
        if (!has(Event.EXCEPTIONS)) {
            throw new ProfilerException(
                    Status.UNSUPPORTED_FOR_ATTACHING_PROFILER,
                    "reports of exceptions need a subscription to " + Event.EXCEPTIONS);
        }
        int failed = Vm.reportExceptions(reported);
        if (failed != 0) {
            throw new ProfilerException(
                    Status.FAILED, "the reports of exceptions cannot be changed: JVMTI error " + failed);
        }
        reportsExceptions = reported;
    }

    private int bits(Set<Event> wanted, Delivery delivery) {
        int bits = 0;
        for (Event event : wanted) {
            check(event, delivery);
            bits |= bit(event);
        }
        return bits;
    }

    /** Enables the events that the profiler subscribed to during initialisation. */
    synchronized void enable() {
        enable(mask & ~logged & SYNCHRONOUS, logged & ASYNCHRONOUS);
    }

    /** Returns true if a synchronous event would slow virtual threads, and the user did not accept that. */
    private static boolean hasLastingCost() {
        return Runtime.version().feature() >= LastingCost.SINCE && !Vm.lastingCostAccepted() && !Vm.hasEnvironment();
    }

    private void check(Event event, Delivery delivery) {
        if (!event.isAllowedAfterAttach() && !launched) {
            throw new ProfilerException(
                    Status.UNSUPPORTED_FOR_ATTACHING_PROFILER, event + " is not available to an attached profiler");
        }
        if (Runtime.version().feature() < event.since()) {
            throw new ProfilerException(
                    Status.UNSUPPORTED_FOR_ATTACHING_PROFILER,
                    event + " is available from JDK " + event.since() + " on, and this is JDK "
                            + Runtime.version().feature());
        }
        if ((declared & bit(event)) == 0) {
            throw new ProfilerException(
                    Status.UNSUPPORTED_FOR_ATTACHING_PROFILER,
                    event + " is not among the Mayfly-Events of the profiler's manifest");
        }
        if (event == Event.STACK_SNAPSHOTS) {
            return;
        }
        if (!event.canBe(delivery)) {
            throw new ProfilerException(
                    Status.FAILED,
                    event + (delivery == Delivery.SYNCHRONOUS ? " is always asynchronous" : " is always synchronous"));
        }
        if (delivery == Delivery.SYNCHRONOUS && hasLastingCost()) {
            throw new ProfilerException(
                    Status.LASTING_COST_NOT_ACCEPTED,
                    event
                            + " needs JVMTI, which slows virtual threads for the rest of this JVM's life; attach with"
                            + " --accept-lasting-cost");
        }
    }

    /** Lines that the JVM logs at once are read as soon as it logs them. */
    private void enable(int bits, int later) {
        log.prepare(later & ~begun);
        int before = logged;
        logged |= later;
        int fromLog = later & ~POLLED;
        int failed = Vm.setEvents(bits, fromLog);
        logged = failed == 0 ? logged : before;
        SubscriptionFailure.throwIfNotEnabled(failed, names(fromLog));
        objects.setPolled(later);
        log.begin(later & ~begun);
        begun = later;
    }

    private static String names(int bits) {
        StringBuilder names = new StringBuilder();
        for (Event event : events(bits)) {
            names.append(names.length() == 0 ? "" : ", ").append(event);
        }
        return names.toString();
    }

    /** The bit as the library defines it: {@code enum event_bit} in wire.h. */
    static int bit(Event event) {
        return 1 << event.number();
    }

    /**
     * Returns true if the event is delivered now. One library event may produce several events; if a detach begins
     * during one of them, the rest are withheld.
     */
    boolean delivers(Event event) {
        return has(event) && life.state() == Life.State.ACTIVE;
    }

    /** Delivers an event from the library. The event may have been sent before the mask changed. */
    void deliver(int kind, Object argument) {
        switch (kind) {
            case UpcallKind.THREAD_CREATED -> {
                if (delivers(Event.THREADS)) {
                    profiler.threadCreated(now(), ids.of((Thread) argument), Optional.empty());
                }
            }
            case UpcallKind.THREAD_DESTROYED -> {
                if (delivers(Event.THREADS)) {
                    profiler.threadDestroyed(now(), ids.of((Thread) argument));
                }
            }
            case UpcallKind.VIRTUAL_THREAD_STARTED -> {
                if (delivers(Event.VIRTUAL_THREADS)) {
                    profiler.virtualThreadStarted(now(), ids.of((Thread) argument));
                }
            }
            case UpcallKind.VIRTUAL_THREAD_ENDED -> {
                if (delivers(Event.VIRTUAL_THREADS)) {
                    profiler.virtualThreadEnded(now(), ids.of((Thread) argument));
                }
            }
            case UpcallKind.CLASS_LOADED -> {
                if (argument instanceof Class<?>) {
                    classLoaded((Class<?>) argument, now());
                } else {
                    classLoaded((Class<?>) ((Object[]) argument)[1], at(argument));
                }
            }
            case UpcallKind.CLASS_LOAD_STARTED -> classLoadStarted(argument);
            case UpcallKind.GC_STARTED -> {
                if (delivers(Event.GARBAGE_COLLECTIONS)) {
                    collecting = true;
                    profiler.garbageCollectionStarted(at(argument));
                }
            }
            case UpcallKind.GC_FINISHED -> collected(argument);
            case UpcallKind.METHOD_COMPILED -> {
                if (delivers(Event.COMPILED_METHODS)) {
                    CompiledMethod method = EventArgument.compiledMethod(argument);
                    code.add(method, EventArgument.sequence(argument));
                    profiler.methodCompiled(at(argument), method);
                }
            }
            case UpcallKind.METHOD_UNLOADED -> {
                if (delivers(Event.COMPILED_METHODS)) {
                    code.remove(EventArgument.number(argument, 1), EventArgument.sequence(argument));
                    profiler.methodUnloaded(at(argument), EventArgument.number(argument, 1));
                }
            }
            case UpcallKind.EXCEPTION_THROWN -> {
                if (delivers(Event.EXCEPTIONS) && reportsExceptions) {
                    profiler.exceptionThrown(now(), ids.of(Thread.currentThread()), ids.of(argument.getClass()));
                }
            }
            case UpcallKind.EXCEPTION_CAUGHT -> {
                if (delivers(Event.EXCEPTIONS) && reportsExceptions) {
                    profiler.exceptionCaught(now(), ids.of(Thread.currentThread()), ids.of(argument.getClass()));
                }
            }
            case UpcallKind.RUNTIME_SUSPENDED -> {
                if (delivers(Event.SUSPENSIONS)) {
                    profiler.runtimeSuspended(at(argument), EventArgument.suspension(argument));
                }
            }
            case UpcallKind.LOG_LINE ->
                log.deliver(
                        EventArgument.number(argument, 1),
                        at(argument),
                        EventArgument.text(argument, 1),
                        EventArgument.number(argument, 2),
                        EventArgument.number(argument, 4));
            case UpcallKind.LOG_READ -> log.delivered();
            case UpcallKind.POLL -> objects.look();
            case UpcallKind.TIMER -> {
                if (life.state() == Life.State.ACTIVE) {
                    profiler.timer(at(argument), EventArgument.number(argument, 1));
                }
            }
            case UpcallKind.ALLOCATION_SAMPLED -> objects.allocationSampled(argument);
            case UpcallKind.CONTENTION_STARTED, UpcallKind.WAIT_STARTED -> objects.monitorStarted(kind, argument);
            case UpcallKind.CONTENTION_FINISHED, UpcallKind.WAIT_FINISHED, UpcallKind.WAIT_TIMED_OUT ->
                objects.monitorFinished(kind, argument);
            default -> throw new IllegalArgumentException("kind " + kind);
        }
    }

    private void classLoadStarted(Object argument) {
        if (delivers(Event.CLASS_LOAD_STARTS)) {
            ClassLoader loader = (ClassLoader) EventArgument.object(argument);
            if (loader instanceof DeferredClasses) {
                return;
            }
            profiler.classLoadStarted(
                    at(argument),
                    EventArgument.binaryName(argument, 2),
                    loader == null ? Optional.empty() : Optional.of(ids.of(loader)));
        }
    }

    /** The host's own classes are no event. All but those of this loader are loaded before the first event. */
    private void classLoaded(Class<?> type, Stamp at) {
        if (type.getClassLoader() instanceof DeferredClasses) {
            return;
        }
        if (delivers(Event.MODULE_LOADS) && !isLogged(Event.MODULE_LOADS)) {
            ModuleId module = ids.ofNew(type.getModule());
            if (module != null) {
                profiler.moduleLoaded(at, module);
            }
        }
        if (delivers(Event.CLASS_LOADS) && !isLogged(Event.CLASS_LOADS)) {
            profiler.classLoaded(at, ids.of(type));
        }
    }

    private void collected(Object argument) {
        dropGone();
        if (collecting && delivers(Event.GARBAGE_COLLECTIONS)) {
            collecting = false;
            profiler.garbageCollectionFinished(at(argument));
        }
    }

    /** Drops the ids of what a collection has unloaded, and reports it. */
    void dropGone() {
        for (long gone : ids.takeGoneClasses()) {
            classUnloaded(gone);
        }
        for (long gone : ids.takeGoneModules()) {
            moduleUnloaded(gone);
        }
        for (long gone : ids.takeGoneLoaders()) {
            loaderUnloaded(gone);
        }
    }

    /** Delivers each event separately: an exception in one must not prevent the others. */
    private void classUnloaded(long gone) {
        if (delivers(Event.CLASS_LOADS) && !isLogged(Event.CLASS_LOADS)) {
            try {
                profiler.classUnloaded(now(), ids.ofClass(gone));
            } catch (Throwable e) {
                Vm.countThrown();
            }
        }
    }

    private void moduleUnloaded(long gone) {
        if (delivers(Event.MODULE_LOADS) && !isLogged(Event.MODULE_LOADS)) {
            try {
                profiler.moduleUnloaded(now(), ids.ofModule(gone));
            } catch (Throwable e) {
                Vm.countThrown();
            }
        }
    }

    private void loaderUnloaded(long gone) {
        if (delivers(Event.CLASS_LOADS)) {
            try {
                profiler.loaderUnloaded(now(), ids.ofLoader(gone));
            } catch (Throwable e) {
                Vm.countThrown();
            }
        }
    }
}
