package mayfly.host;

import mayfly.api.ClassId;
import mayfly.api.Event;
import mayfly.api.code.MethodId;
import mayfly.host.code.MemberTable;
import mayfly.host.probe.jvm.ProbeJvm;
import org.jspecify.annotations.Nullable;

/** The JVM and the host as probes see them. */
final class HostedJvm implements ProbeJvm {
    private final Events events;
    private final Ids ids;

    HostedJvm(Events events, Ids ids) {
        this.events = events;
        this.ids = ids;
    }

    @Override
    public @Nullable Class<?> @Nullable [] loadedClasses() {
        return Vm.loadedClasses();
    }

    @Override
    public @Nullable MemberTable methods(Class<?> type) {
        return Inspection.members(type, false, MemberTable.ALL);
    }

    @Override
    public ClassId id(Class<?> type) {
        return ids.of(type);
    }

    @Override
    public MethodId id(Class<?> type, int number) {
        return new MethodId(ids.of(type), number);
    }

    @Override
    public @Nullable Object call(int call, @Nullable Object argument) {
        return Vm.probes(call, argument);
    }

    @Override
    public boolean delivers() {
        return events.delivers(Event.METHOD_PROBES);
    }

    @Override
    public void countThrown() {
        Vm.countThrown();
    }
}
