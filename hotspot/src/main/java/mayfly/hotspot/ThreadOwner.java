package mayfly.hotspot;

/** Whose a Java thread is, by what it is and not by its name. */
public enum ThreadOwner {
    /** The VM's own: its JavaThread is of a class that the VM uses for nothing else, such as CompilerThread. */
    VM,
    /** The JDK's own: its Thread object is of a class that only the JDK can make, such as InnocuousThread. */
    JDK,
    /** Any other; or it could not be read. */
    OTHER
}
