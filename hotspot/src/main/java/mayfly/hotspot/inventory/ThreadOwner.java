package mayfly.hotspot.inventory;

/** The owner of a Java thread, determined by the classes of its objects and not by its name. */
public enum ThreadOwner {
    /** The VM: its JavaThread is of a class that the VM uses only for its own threads, such as CompilerThread. */
    VM,
    /** The JDK: its Thread object is of a class that only the JDK can instantiate, such as InnocuousThread. */
    JDK,
    /** The program: its Thread object has a task, or is of a subclass of Thread. */
    PROGRAM,
    /** Any other, such as a thread that native code attached, or one that could not be read. */
    OTHER
}
