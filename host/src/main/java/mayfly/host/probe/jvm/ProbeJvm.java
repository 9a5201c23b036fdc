package mayfly.host.probe.jvm;

import mayfly.api.ClassId;
import mayfly.api.code.MethodId;
import mayfly.host.code.MemberTable;
import org.jspecify.annotations.Nullable;

/** The services of the JVM and of the other parts of the host that probes use. */
public interface ProbeJvm {

    /** Returns the prepared classes, with null for each class that is not prepared; null if JVMTI refuses. */
    @Nullable
    Class<?> @Nullable [] loadedClasses();

    /** Returns the methods that a class declares; null if this JVM does not describe them as expected. */
    @Nullable
    MemberTable methods(Class<?> type);

    ClassId id(Class<?> type);

    /** Returns the id of the method with this number. */
    MethodId id(Class<?> type, int number);

    /**
     * Executes a call of {@code probes.c}.
     *
     * @param call a {@code ProbeCall}
     */
    @Nullable
    Object call(int call, @Nullable Object argument);

    /** Returns true if calls of probed methods are reported now. */
    boolean delivers();

    /** Counts a callback that threw. */
    void countThrown();
}
