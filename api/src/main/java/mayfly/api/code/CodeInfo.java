package mayfly.api.code;

import java.util.List;
import mayfly.api.ClassId;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.Status;

/**
 * The classes of the runtime and their methods, part of {@link mayfly.api.ProfilerInfo}. Its rules for calls apply
 * here.
 */
public interface CodeInfo {

    /**
     * Describes a class loader. No code of the loader runs.
     *
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if it has been unloaded, or the id belongs to another
     *         runtime
     */
    LoaderDescription describe(LoaderId loader);

    /**
     * Describes a method.
     *
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if its class has been unloaded or has no such method, or the
     *         id belongs to another runtime; {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} as for {@link #methods}
     */
    MethodDescription describe(MethodId method);

    /**
     * Describes a field.
     *
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if its class has been unloaded or has no such field, or the
     *         id belongs to another runtime; {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} as for {@link #methods}
     */
    FieldDescription describe(FieldId field);

    /**
     * Returns the superclass, the interfaces and the component type of a class, and the size of its instances. Neither
     * initialises nor links the class.
     *
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if it has been unloaded, or the id belongs to another
     *         runtime
     */
    ClassStructure structure(ClassId type);

    /**
     * Returns the methods that a class declares, with its constructors and its class initializer, in no particular
     * order; none for an array class and a primitive type. They are read from the JVM's description of the class, so no
     * class that a descriptor names is loaded, no code of the program runs, and no cache or method id is left with the
     * class. Takes 10 to 20 µs for each method.
     *
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if it has been unloaded, or the id belongs to another
     *         runtime; {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} if this JVM describes its classes in an
     *         unknown way
     */
    List<MethodDescription> methods(ClassId type);

    /**
     * Returns the fields that a class declares, static ones included, as {@link #methods}.
     *
     * @throws ProfilerException as {@link #methods}
     */
    List<FieldDescription> fields(ClassId type);

    /**
     * Returns the line number table of a method, in its order; empty if the method has no code, or its class file no
     * line numbers. It is read from the JVM's description of the class, as {@link #methods}, and takes as long.
     *
     * @throws ProfilerException as {@link #describe(MethodId)}
     */
    List<LineNumber> lines(MethodId method);

    /**
     * Returns the bytecodes of a method as in its class file; empty if the method has no code. An index in them refers
     * to the constant pool of the class. If an agent has redefined the class, they are the present ones.
     *
     * <p>Needs JVMTI, even if no subscribed event does, because the JVM keeps the bytecodes in another form. It leaves
     * an id of some bytes for each method of the class, and keeps what JVMTI keeps (docs/footprint.md).
     *
     * @throws ProfilerException as {@link #describe(MethodId)}; {@link Status#LASTING_COST_NOT_ACCEPTED} on JDK 21 and
     *         later if JVMTI is not in use and its cost was not accepted; {@link Status#NOT_YET_INITIALIZED} before
     *         {@link Profiler#profilerAttachComplete}; {@link Status#FAILED} if the class has not been linked
     */
    byte[] bytecodes(MethodId method);
}
