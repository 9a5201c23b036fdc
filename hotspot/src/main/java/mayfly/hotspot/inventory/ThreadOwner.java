package mayfly.hotspot.inventory;

/** Whose a Java thread is, by what it is and not by its name. */
public enum ThreadOwner {
    /** The VM's own: its JavaThread is of a class that the VM uses for nothing else, such as CompilerThread. */
    VM,
    /** The JDK's own: its Thread object is of a class that only the JDK can make, such as InnocuousThread. */
    JDK,
    /** The program's: its Thread object has a task to run, or is of a subclass of Thread. */
    PROGRAM,
    /** Any other, such as one that native code has attached; or it could not be read. */
    OTHER
}
