package mayfly.api.probe;

/** The reason why a method that matches a pattern has no new probe. */
public enum ProbeRefusal {
    /** It has a probe of this profiler already. */
    ALREADY_PROBED("it has a probe"),
    /** It has no code. */
    ABSTRACT("it is abstract"),
    /** Its code is not bytecode. */
    NATIVE("it is native"),
    /** A probe needs an exception handler, which may not cover an object that is not initialised. */
    CONSTRUCTOR("it is a constructor"),
    /** It runs once, when its class is initialised, and a probe is inserted only after that. */
    CLASS_INITIALIZER("it is a class initializer"),
    /** A compiler may use its own code for the method, which would call no probe. */
    INTRINSIC("the JVM's compilers replace its code by their own"),
    /** A probe itself calls the classes of this package, or the host does before it recognises its own calls. */
    RESERVED_PACKAGE("a probe uses its package"),
    /** The class is one of Mayfly's or of the profiler's. */
    PROFILER("its class belongs to the profiler or to Mayfly"),
    /** The JVM does not permit a change of the class, as with hidden classes. */
    UNMODIFIABLE_CLASS("the JVM does not permit changes of its class"),
    /** The class file has no such method: another agent has changed the class. */
    NO_SUCH_METHOD("its class file has no such method"),
    /** With a probe it would have more than 65,535 bytes of code, or as many local variables. */
    TOO_LARGE("its code would become too large"),
    /** The constant pool has no room for the constants of the probes. */
    CONSTANT_POOL_FULL("the constant pool of its class would become too large"),
    /** The class file is of a later version than the library that changes it supports. */
    UNSUPPORTED_VERSION("its class file has a version that is not supported"),
    /** The class file cannot be read: another agent may have changed it. */
    MALFORMED("its class file cannot be read"),
    /** The method has no probe after the JVM has changed it: another agent has replaced its code again. */
    REPLACED_BY_AGENT("another agent replaces the code of its class");

    private final String sentence;

    ProbeRefusal(String sentence) {
        this.sentence = sentence;
    }

    /** Returns the reason as a clause, for a message. */
    public String sentence() {
        return sentence;
    }
}
