package mayfly.stack.state;

import mayfly.runtime.thread.ManagedThreadState;

/** The state of a Java thread, in the usual terms of thread dumps. */
public enum ThreadState {
    /** Executes Java code, or is about to. */
    RUNNING("running"),
    /** Executes a native method, or code called by it. */
    IN_NATIVE("in native"),
    /** Executes code of the VM. */
    IN_VM("in VM"),
    /** Waits to enter a monitor. */
    BLOCKED("blocked"),
    /** In Object.wait. */
    WAITING("waiting"),
    /** In Object.wait with a time-out. */
    TIMED_WAITING("timed waiting"),
    /** In LockSupport.park. */
    PARKED("parked"),
    /** In LockSupport.park with a time-out. */
    TIMED_PARKED("timed parked"),
    /** In Thread.sleep. */
    SLEEPING("sleeping"),
    /** Not started yet. */
    NEW("new"),
    /** Its run method has ended. */
    TERMINATED("terminated"),
    /** Not a Java thread, or its state could not be read. */
    UNKNOWN("");

    private final String word;

    ThreadState(String word) {
        this.word = word;
    }

    /** Returns the printed form; empty for {@link #UNKNOWN}. */
    public String word() {
        return word;
    }

    /** Returns the term for the state of a thread in its runtime. */
    public static ThreadState of(ManagedThreadState state) {
        return switch (state) {
            case IN_MANAGED_CODE -> RUNNING;
            case IN_NATIVE -> IN_NATIVE;
            case IN_VM -> IN_VM;
            case BLOCKED -> BLOCKED;
            case WAITING -> WAITING;
            case TIMED_WAITING -> TIMED_WAITING;
            case PARKED -> PARKED;
            case TIMED_PARKED -> TIMED_PARKED;
            case SLEEPING -> SLEEPING;
            case NEW -> NEW;
            case TERMINATED -> TERMINATED;
            case UNKNOWN -> UNKNOWN;
        };
    }
}
