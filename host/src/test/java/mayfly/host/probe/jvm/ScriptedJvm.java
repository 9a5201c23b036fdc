package mayfly.host.probe.jvm;

import mayfly.api.ClassId;
import mayfly.api.code.MethodId;
import mayfly.host.code.MemberTable;
import org.jspecify.annotations.Nullable;

/** A JVM without classes. */
class ScriptedJvm implements ProbeJvm {
    boolean delivers = true;
    int thrown;
    private int ids;

    @Override
    public @Nullable Class<?> @Nullable [] loadedClasses() {
        return new Class<?>[0];
    }

    @Override
    public @Nullable MemberTable methods(Class<?> type) {
        return null;
    }

    @Override
    public ClassId id(Class<?> type) {
        return new ClassId(1, ++ids);
    }

    @Override
    public MethodId id(Class<?> type, int number) {
        return new MethodId(id(type), number);
    }

    @Override
    public @Nullable Object call(int call, @Nullable Object argument) {
        return null;
    }

    @Override
    public boolean delivers() {
        return delivers;
    }

    @Override
    public void countThrown() {
        thrown++;
    }
}
