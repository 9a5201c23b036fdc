package mayfly.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The stacks of all threads of a process. docs/formats/stack-json.md explains the words. Names are untrusted text. */
public sealed interface ThreadDump permits StackResults.Dump {
    long pid();

    /** Returns the main class or jar of the process, or its program; empty if not known. */
    String mainClass();

    /** Returns the runtimes of the process, with their versions and addresses, in words. */
    List<String> runtimes();

    /** Returns when the dump began. */
    Instant time();

    /** Returns true if all threads were stopped at one moment, instead of one at a time. */
    boolean together();

    /** Returns how long threads were stopped. */
    Stops stops();

    /** Returns the threads: Java threads first, with the main thread before the others. */
    List<DumpedThread> threads();

    /** Returns the virtual threads that are not mounted; empty unless {@link StackRequest#virtual()} was requested. */
    Optional<VirtualThreads> virtual();

    /** Returns the groups of threads that wait for one another. */
    List<Deadlock> deadlocks();

    /** The virtual threads that are not mounted. */
    sealed interface VirtualThreads permits StackResults.Virtual {
        /** Returns the number of virtual threads in all groups. */
        long threads();

        /** Returns the number of virtual threads that are mounted; each is with its carrier. */
        long mounted();

        /** Returns false if the program was started with -Djdk.trackAllThreads=false, so that some are missing. */
        boolean allRecorded();

        /** Returns the reasons why virtual threads could not be read. */
        List<UnreadThreads> unread();

        /** Returns the runtimes whose list of virtual threads could not be read. */
        List<UnreadableRuntime> unreadable();

        /** Returns the threads, grouped by equal stacks and states, the largest group first. */
        List<VirtualGroup> groups();
    }

    /** Virtual threads that could not be read. */
    sealed interface UnreadThreads permits StackResults.OneUnread {
        /** Returns why they could not be read. */
        String reason();

        /** Returns their number. */
        long threads();
    }

    /** A runtime whose list of virtual threads could not be read. */
    sealed interface UnreadableRuntime permits StackResults.OneUnreadable {
        /** Returns the runtime: r1, r2, and so on. */
        String runtime();

        /** Returns why its list could not be read. */
        String reason();
    }

    /** Virtual threads with equal stacks and states. */
    sealed interface VirtualGroup permits StackResults.OneGroup {
        /** Returns the runtime: r1, r2, and so on. */
        String runtime();

        /** Returns the state of the threads. */
        String state();

        /** Returns complete, or why the stacks are broken. */
        String outcome();

        /** Returns the threads. */
        List<VirtualThread> threads();

        /** Returns the frames, leaf first. */
        List<Frame> frames();
    }

    /** Threads of which each waits for a lock that the next one owns, and the last for one of the first. */
    sealed interface Deadlock permits StackResults.OneDeadlock {
        List<DeadlockedThread> threads();
    }

    /** A thread of a deadlock. */
    sealed interface DeadlockedThread permits StackResults.OneDeadlockedThread {
        /** Returns its kernel id; 0 for a virtual thread that is not mounted. */
        long tid();

        /** Returns its Java name; empty if it has none, or if it is not known. */
        String name();

        /** Returns the id that the runtime gave it; 0 if not known. */
        long id();

        /** Returns the lock for which it waits. */
        Lock lock();
    }

    /** A lock for which a thread waits. */
    sealed interface Lock permits StackResults.OneLock {
        /** Returns how the thread waits: enter, reenter, notification, park, initialization, or unknown. */
        String kind();

        /**
         * Returns the class of its object; for a class object, {@code java.lang.Class for NAME}; for {@code
         * initialization}, the class that the owner initializes.
         */
        String className();

        /** Returns the address of its object at that time, in hexadecimal; a collection may move it. */
        String object();

        /** Returns known, none if no thread owns it or its kind records no owner, or unknown. */
        String ownership();

        /** Returns the owner, if it is known. */
        Optional<LockOwner> owner();

        /** Returns why the lock could not be read; empty if it was read. */
        String unread();
    }

    /** The thread that owns a lock. */
    sealed interface LockOwner permits StackResults.OneLockOwner {
        /** Returns its kernel id; 0 for a virtual thread that is not mounted. */
        long tid();

        /** Returns its Java name; empty if not known. */
        String name();

        /** Returns the id that the runtime gave it; 0 if not known. */
        long id();
    }

    /** How long threads were stopped. */
    sealed interface Stops permits StackResults.StopTimes {
        /** Returns the number of threads that were stopped. */
        long count();

        Duration median();

        Duration longest();

        /** Returns the number of threads that were copied without a stop. */
        long unstopped();

        /** Returns the limit for a stop. */
        Duration limit();

        /** Returns the number of stops that took longer than the limit. */
        long overLimit();
    }

    /** One thread. */
    sealed interface DumpedThread permits StackResults.OneThread {
        /** Returns its Java name, or else its kernel name. */
        String name();

        /** Returns its kernel id. */
        long tid();

        String kernelName();

        /** Returns the kernel's letter for its state, such as R for running and S for sleeping. */
        String kernelState();

        /** Returns the CPU time that it has used, if it is known. */
        Optional<Duration> cpu();

        /** Returns the time since its start. */
        Duration elapsed();

        /** Returns the Java thread; empty for a thread of the VM or of native code. */
        Optional<JavaThread> java();

        /** Returns the lock for which a Java thread waits; empty if it waits for none. */
        Optional<Lock> lock();

        /** Returns done, broken, or the reason why there is no stack. */
        String status();

        /** Returns how the walk ended: complete, shortened, truncated, unproven, or why the stack is broken. */
        String outcome();

        /**
         * Returns where the walk found its first Java frame: registers, or last_managed_frame (the runtime's record of
         * its last Java frame; native frames may be missing before it).
         */
        String start();

        /** Returns an upper bound on the time for which it was stopped; zero if it was not stopped. */
        Duration stop();

        /** Returns an explanation in words; usually empty. */
        String reason();

        /** Returns the frames, leaf first. */
        List<Frame> frames();
    }

    /** The data of the runtime about a Java thread. */
    sealed interface JavaThread permits StackResults.OneJavaThread {
        /** Returns the id of its runtime. */
        String runtime();

        /** Returns the id that the runtime gave it; 0 if not known. */
        long id();

        boolean daemon();

        /** Returns why its name or other data could not be read; empty if all was read. */
        String unread();

        /** Returns its state, such as running, waiting or parked. */
        String state();

        /** Returns the virtual thread that it carried just before or after the walk. */
        Optional<VirtualThread> mounted();
    }

    /** A virtual thread. */
    sealed interface VirtualThread permits StackResults.OneVirtualThread {
        /** Returns its name; often empty. */
        String name();

        long id();

        /** Returns the lock for which a virtual thread that is not mounted waits; empty if it waits for none. */
        Optional<Lock> lock();
    }
}
