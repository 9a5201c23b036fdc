package mayfly.record;

import java.util.List;
import mayfly.runtime.ManagedRuntime;

/**
 * The search for runtimes during a recording: a process may start several JVMs, and a started program has none at
 * first. All times are CLOCK_MONOTONIC, ns.
 */
final class RuntimeSearch {
    /** Interval of looks at a library that may contain another starting VM. */
    private static final long LOOK_NANOS = 200_000_000L;

    private static final long MAX_LOOK_NANOS = 1_000_000_000L;
    /** The interval is the time since the first look at a library that stays unknown, divided by this number. */
    private static final int LOOK_PART = 10;
    /** The time after the first runtime was found during which the program is considered to be starting. */
    private static final long STARTING_NANOS = 1_000_000_000L;
    /** Upper bound on how long samples may wait for a starting VM: they can be walked once it has started. */
    private static final long MAX_WAIT_NANOS = 60_000_000_000L;
    /** The same bound while nothing indicates that a VM is starting in the library. */
    private static final long MAX_UNSTARTED_WAIT_NANOS = 5_000_000_000L;

    private final RecordedTarget target;
    private long firstLook;
    private long nextLook;
    private long startingUntil;
    /** The time since which samples wait for a VM in an unknown library; 0 before any did. */
    private long waitingSince;

    private boolean sawLibrary;

    RuntimeSearch(RecordedTarget target, long now) {
        this.target = target;
        this.firstLook = now;
        this.nextLook = now;
        this.startingUntil = now;
    }

    /** Looks for new runtimes if a look is due. Returns those found. */
    List<ManagedRuntime> look(long now) {
        List<ManagedRuntime> known = target.runtimes();
        if (!known.isEmpty() && (now - nextLook < 0 || !target.hasUnknownLibrary())) {
            return List.of();
        }
        boolean isNew = target.lookAgain();
        sawLibrary |= target.hasUnknownLibrary();
        // If no library was unknown for some time, the interval starts again too.
        if (isNew || now - nextLook > 2 * MAX_LOOK_NANOS) {
            firstLook = now;
        }
        // A library that cannot be read, such as that of an older JDK, is checked less and less often.
        nextLook = now + Math.clamp((now - firstLook) / LOOK_PART, LOOK_NANOS, MAX_LOOK_NANOS);
        return isNew
                ? target.runtimes().stream()
                        .filter(found -> !known.contains(found))
                        .toList()
                : List.of();
    }

    /** Returns true if the target had no runtime until recently. */
    boolean isStarting(long now) {
        if (target.runtimes().isEmpty()) {
            startingUntil = now + STARTING_NANOS;
        }
        return now - startingUntil < 0;
    }

    /**
     * Returns true if samples of a target without a runtime should wait because a VM may be starting. The first call
     * that finds an unknown library begins the wait.
     */
    boolean mayWait(long now) {
        if (!target.hasUnknownLibrary()) {
            return false;
        }
        if (waitingSince == 0) {
            waitingSince = now;
        }
        return now - waitingSince < (target.isStarting() ? MAX_WAIT_NANOS : MAX_UNSTARTED_WAIT_NANOS);
    }

    /** Returns true if the process had mapped the library of a runtime that was not read. */
    boolean sawLibrary() {
        return sawLibrary;
    }
}
