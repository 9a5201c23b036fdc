package mayfly.host;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the library calls, one object for each kind: an interface of the JDK needs no method id of ours. */
final class Upcall implements Function<Object, @Nullable Object> {
    static final int INITIALIZE = 0;
    static final int COMMAND = 1;
    static final int DETACH_REQUESTED = 2;
    static final int DETACH_SUCCEEDED = 3;
    static final int CULPRIT = 4;
    static final int THREAD_CREATED = 5;
    static final int THREAD_DESTROYED = 6;
    static final int CLASS_LOADED = 7;
    // 8 was the end of a class
    static final int GC_STARTED = 9;
    static final int GC_FINISHED = 10;
    static final int METHOD_COMPILED = 11;
    static final int METHOD_UNLOADED = 12;
    static final int RUNTIME_SUSPENDED = 13;
    static final int FORGET = 14;
    static final int DETACH_FORCED = 15;
    /** How many there are. */
    static final int KINDS = 16;

    private final int kind;
    private final Host host;

    Upcall(int kind, Host host) {
        this.kind = kind;
        this.host = host;
    }

    /** Nothing is thrown into the library. */
    @Override
    public @Nullable Object apply(Object argument) {
        try {
            switch (kind) {
                case INITIALIZE:
                    return host.initialize();
                case COMMAND:
                    return host.command((byte[]) argument);
                case DETACH_REQUESTED:
                    return host.detachRequested((byte[]) argument);
                case DETACH_FORCED:
                    return host.detachForced();
                case DETACH_SUCCEEDED:
                    host.detachSucceeded();
                    return null;
                case CULPRIT:
                    return host.culprit();
                case FORGET:
                    host.forget();
                    return null;
                default:
                    host.events().deliver(kind, argument);
                    return null;
            }
        } catch (Throwable e) {
            Vm.countThrown();
            return kind == CULPRIT ? "a thread: the stacks could not be looked at" : null;
        }
    }
}
