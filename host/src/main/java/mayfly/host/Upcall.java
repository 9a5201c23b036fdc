package mayfly.host;

import java.util.function.Function;
import mayfly.host.probe.jvm.Probes;
import mayfly.wire.UpcallKind;
import org.jspecify.annotations.Nullable;

/**
 * The entry for calls of one {@link UpcallKind} from the library. Calls through an interface of the JDK need no method
 * id of this class.
 */
final class Upcall implements Function<Object, @Nullable Object> {
    private final int kind;
    private final Host host;

    Upcall(int kind, Host host) {
        this.kind = kind;
        this.host = host;
    }

    /**
     * Never throws: the library expects no exception. During a callback, calls of methods with probes are not reported.
     * Without probes nothing is kept in the program's threads; the host's own thread may add the first ones.
     */
    @Override
    public @Nullable Object apply(Object argument) {
        Probes probes = host.events().probes();
        boolean first = probes != null && (probes.isInUse() || host.isOwnThread()) && probes.enterCallback();
        try {
            return call(argument);
        } finally {
            if (first && probes != null) {
                probes.leaveCallback();
            }
        }
    }

    private @Nullable Object call(Object argument) {
        try {
            switch (kind) {
                case UpcallKind.INITIALIZE:
                    return host.initialize();
                case UpcallKind.COMMAND:
                    return host.command((byte[]) argument);
                case UpcallKind.DETACH_REQUESTED:
                    return host.detachRequested((byte[]) argument);
                case UpcallKind.DETACH_FORCED:
                    return host.detachForced();
                case UpcallKind.DETACH_SUCCEEDED:
                    host.detachSucceeded();
                    return null;
                case UpcallKind.PINNING_THREAD:
                    return host.pinningThread();
                case UpcallKind.FORGET:
                    host.forget();
                    return null;
                case UpcallKind.CLASS_REDEFINED:
                    return host.events().redefined((Object[]) argument);
                default:
                    host.events().deliver(kind, argument);
                    return null;
            }
        } catch (Throwable e) {
            Vm.countThrown();
            return kind == UpcallKind.PINNING_THREAD ? "a thread: the stacks could not be read" : null;
        }
    }
}
