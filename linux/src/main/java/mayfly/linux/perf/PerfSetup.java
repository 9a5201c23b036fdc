package mayfly.linux.perf;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import mayfly.linux.proc.Permissions;
import mayfly.linux.proc.ProcFile;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.ResourceLimit;

/** Checks and preparations that both collectors share. */
final class PerfSetup {
    static final int ALL_RINGS = 128 << 20;
    private static final int MIN_RING = 1 << 16;

    private PerfSetup() {}

    static void checkRate(PerfOptions options) throws PerfUnavailable {
        long highest = ProcFile.number("/proc/sys/kernel/perf_event_max_sample_rate", Long.MAX_VALUE);
        if (options.hz() > highest) {
            throw new PerfUnavailable(
                    PerfUnavailable.Reason.RATE_TOO_HIGH,
                    options.hz() + " Hz is above kernel.perf_event_max_sample_rate, which is " + highest);
        }
    }

    /**
     * Returns the size of each CPU's ring, found by mapping the rings of all collectors for temporary events: the
     * wake-up threshold depends on the size and must be known before the actual events are opened.
     */
    static int ringBytes(PerfOptions options, int[] cpus) throws PerfUnavailable {
        int largest = options.ringBytes();
        while (largest > MIN_RING && (long) largest * cpus.length > ALL_RINGS) {
            largest >>= 1;
        }
        List<PerfEvent> events = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            PerfEventAttr attr = new PerfEventAttr(
                    arena, PerfEventAttr.SW_TASK_CLOCK, PerfOptions.at(1), largest, PerfEventAttr.EXCLUDE_KERNEL);
            for (int i = 0; i < cpus.length * options.sharers(); i++) {
                events.add(PerfEvent.open(attr, 0, cpus[i % cpus.length]));
            }
            List<PerfRing> rings = rings(events, largest);
            rings.forEach(PerfRing::close);
            return rings.getFirst().bytes();
        } catch (ErrnoException e) {
            throw refused(e);
        } finally {
            events.forEach(PerfEvent::close);
        }
    }

    /** Maps a ring of equal size for each event, as large as permitted. */
    static List<PerfRing> rings(List<PerfEvent> owners, int largest) throws PerfUnavailable {
        for (int bytes = largest; ; bytes >>= 1) {
            List<PerfRing> rings = new ArrayList<>();
            try {
                for (PerfEvent owner : owners) {
                    rings.add(PerfRing.map(owner.number(), bytes));
                }
                return rings;
            } catch (ErrnoException e) {
                rings.forEach(PerfRing::close);
                if (bytes <= MIN_RING || e.errno() != Errno.EPERM && e.errno() != Errno.ENOMEM) {
                    throw new PerfUnavailable(
                            PerfUnavailable.Reason.TOO_LITTLE_MEMORY,
                            e.getMessage()
                                    + "; kernel.perf_event_mlock_kb is "
                                    + ProcFile.number("/proc/sys/kernel/perf_event_mlock_kb", -1)
                                    + ", the limit of locked memory (ulimit -l) is "
                                    + ResourceLimit.MEMLOCK.describe());
                }
            }
        }
    }

    /** Returns the exception for an event that could not be opened. */
    static PerfUnavailable refused(ErrnoException e) {
        return switch (e.errno()) {
            case Errno.EACCES, Errno.EPERM -> notPermitted(e);
            case Errno.ENOSYS ->
                isFiltered()
                        ? notPermitted(e)
                        : new PerfUnavailable(PerfUnavailable.Reason.UNSUPPORTED, "this kernel has no perf events");
            case Errno.EMFILE, Errno.ENFILE ->
                new PerfUnavailable(
                        PerfUnavailable.Reason.TOO_FEW_DESCRIPTORS,
                        e.getMessage() + "; the limit of open files (ulimit -n) is " + ResourceLimit.NOFILE.describe());
            case Errno.ESRCH -> new PerfUnavailable(PerfUnavailable.Reason.TARGET_GONE, "the process has exited");
            default -> new PerfUnavailable(PerfUnavailable.Reason.UNSUPPORTED, String.valueOf(e.getMessage()));
        };
    }

    private static PerfUnavailable notPermitted(ErrnoException e) {
        String settings;
        try {
            settings = "; " + Permissions.read().perfSettings();
        } catch (IOException unknown) {
            settings = "";
        }
        return new PerfUnavailable(PerfUnavailable.Reason.NOT_PERMITTED, e.getMessage() + settings);
    }

    /** Returns true if a seccomp filter is active, so ENOSYS may mean that the call is not permitted. */
    private static boolean isFiltered() {
        try {
            return Permissions.read().seccompFilter();
        } catch (IOException unknown) {
            return false;
        }
    }
}
