package mayfly.stack;

import mayfly.runtime.ManagedThreadState;

/** What a Java thread was doing, in the words that a reader of thread dumps knows. */
public enum ThreadState {
    /** It executed Java code, or was about to. */
    RUNNING("running"),
    /** It was in a native method, or in what that had called. */
    IN_NATIVE("in native"),
    /** It executed the VM's own code on its behalf. */
    IN_VM("in VM"),
    /** It waited to enter a monitor. */
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
    /** Not a Java thread, or its runtime's note could not be read. */
    UNKNOWN("");

    private final String word;

    ThreadState(String word) {
        this.word = word;
    }

    /** As printed; empty for {@link #UNKNOWN}. */
    public String word() {
        return word;
    }

    static ThreadState of(ManagedThreadState state) {
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
