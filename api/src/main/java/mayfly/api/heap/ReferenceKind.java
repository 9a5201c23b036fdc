package mayfly.api.heap;

/** The kind of a reference in the heap (JVMTI specification, section Heap), or of a root of the garbage collector. */
public enum ReferenceKind {
    /** Root: a local variable or an operand of a method that is executed. */
    LOCAL_VARIABLE(24),
    /** Root: a JNI local reference. */
    JNI_LOCAL(25),
    /** Root: a JNI global reference. */
    JNI_GLOBAL(21),
    /** Root: a monitor that a thread has entered. */
    MONITOR(23),
    /** Root: a live thread. */
    THREAD(26),
    /** Root: a class of the boot loader. */
    SYSTEM_CLASS(22),
    /** Root: another reference of the JVM. */
    OTHER_ROOT(27),
    /** An instance field. */
    FIELD(2),
    /** A static field. */
    STATIC_FIELD(8),
    /** An element of an array. */
    ARRAY_ELEMENT(3),
    /** From an object to its class. */
    CLASS(1),
    /** From a class to its class loader. */
    CLASS_LOADER(4),
    /** From a class to the signers of its code. */
    SIGNERS(5),
    /** From a class to its protection domain. */
    PROTECTION_DOMAIN(6),
    /** From a class to an interface that it implements. */
    INTERFACE(7),
    /** From a class to its superclass. */
    SUPERCLASS(10),
    /** From a class to an object in its constant pool. */
    CONSTANT_POOL(9),
    /** A kind that this version does not know. */
    UNKNOWN(0);

    private final int number;

    ReferenceKind(int number) {
        this.number = number;
    }

    /** Returns the kind with this number of {@code jvmtiHeapReferenceKind}; {@link #UNKNOWN} if there is none. */
    public static ReferenceKind of(int number) {
        for (ReferenceKind kind : values()) {
            if (kind.number == number) {
                return kind;
            }
        }
        return UNKNOWN;
    }
}
