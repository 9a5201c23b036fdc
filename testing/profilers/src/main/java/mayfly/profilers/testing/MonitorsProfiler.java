package mayfly.profilers.testing;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.StackFrame;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;
import mayfly.api.event.ObjectMonitor;

/**
 * Measures the time that threads wait for monitors, and checks that each end follows its start. It subscribes during
 * its initialisation unless its data are {@code later}; with {@code owners} it asks for the owner of the monitor at the
 * start of each contention and each wait, and with {@code sum} it only adds up the time of all contention. The commands
 * are in {@link #command}.
 */
public final class MonitorsProfiler implements Profiler {
    private static final Set<Event> MONITORS = EnumSet.of(Event.MONITORS, Event.STACK_SNAPSHOTS);

    private final Map<ThreadId, Start> started = new ConcurrentHashMap<>();
    private final Map<Key, Total> totals = new ConcurrentHashMap<>();
    /** The reports that contradict one another. */
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();
    /** The owners of the monitors of contention, by their ids; 0 for none. */
    private final Queue<Long> owners = new ConcurrentLinkedQueue<>();

    private volatile boolean asksForOwners;
    private volatile boolean onlySums;
    private final LongAdder contentionNanos = new LongAdder();
    private final LongAdder contentions = new LongAdder();
    private ProfilerInfo info;

    /** Records that are keys have methods of their own: those of the compiler would make the JVM generate code. */
    private record Start(boolean waits, ObjectMonitor monitor, long nanos, String site) {
        @Override
        public String toString() {
            return (waits ? "a wait for " : "contention for ") + monitor + " at " + nanos + " in " + site;
        }
    }

    private record Key(boolean waits, ObjectMonitor monitor, String site) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key
                    && ((Key) other).waits == waits
                    && ((Key) other).monitor.equals(monitor)
                    && ((Key) other).site.equals(site);
        }

        @Override
        public int hashCode() {
            return monitor.hashCode() * 31 + site.hashCode() + (waits ? 1 : 0);
        }
    }

    private static final class Total {
        private final LongAdder count = new LongAdder();
        private final LongAdder timedOut = new LongAdder();
        private final LongAdder nanos = new LongAdder();
    }

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> data) {
        info = runtime;
        String words = new String(data.orElse(new byte[0]), StandardCharsets.UTF_8);
        asksForOwners = words.equals("owners");
        onlySums = words.equals("sum");
        if (!words.equals("later")) {
            info.setEventMask(MONITORS);
        }
    }

    @Override
    public void contentionStarted(Stamp at, ThreadId thread, ObjectMonitor monitor) {
        if (onlySums) {
            started.put(thread, new Start(false, monitor, at.nanos(), ""));
            return;
        }
        start(at, thread, monitor, false);
    }

    @Override
    public void contentionFinished(Stamp at, ThreadId thread, ObjectMonitor monitor) {
        if (onlySums) {
            contentionNanos.add(at.nanos() - started.remove(thread).nanos());
            contentions.increment();
            return;
        }
        finish(at, thread, monitor, false, false);
    }

    @Override
    public void waitStarted(Stamp at, ThreadId thread, ObjectMonitor monitor) {
        start(at, thread, monitor, true);
    }

    @Override
    public void waitFinished(Stamp at, ThreadId thread, ObjectMonitor monitor, boolean timedOut) {
        finish(at, thread, monitor, true, timedOut);
    }

    private void start(Stamp at, ThreadId thread, ObjectMonitor monitor, boolean waits) {
        String[] site = {"-"};
        info.doStackSnapshot(MonitorsProfiler::isBefore, site);
        boolean isOwn = info.currentThread().equals(thread);
        if (asksForOwners) {
            askForOwner(thread, monitor, waits);
        }
        Start start = new Start(waits, monitor, at.nanos(), site[0]);
        Start before = started.put(thread, start);
        if (before != null || !isOwn) {
            errors.add(start + " of " + thread + (isOwn ? "" : " on another thread") + ", after " + before);
        }
    }

    /** A thread that begins to wait in {@link Object#wait()} still owns the monitor. */
    private void askForOwner(ThreadId thread, ObjectMonitor monitor, boolean waits) {
        Optional<ThreadId> owner = info.monitorOwner();
        if (!waits && info.describe(monitor.type()).name().startsWith("mayfly.targets.")) {
            owners.add(owner.isPresent() ? owner.get().value() : 0);
        } else if (waits) {
            countUnlessOwn(owner, thread);
        }
    }

    private void countUnlessOwn(Optional<ThreadId> owner, ThreadId thread) {
        if (owner.isEmpty() || !owner.get().equals(thread)) {
            errors.add(owner + " owns the monitor of " + thread);
        }
    }

    private String ownerOutsideOfACallback() {
        try {
            return info.monitorOwner().toString();
        } catch (ProfilerException e) {
            return e.status().name();
        }
    }

    private static boolean isBefore(StackFrame frame, String[] site) {
        if (site[0].equals("-") && frame.className().startsWith("mayfly.targets.")) {
            site[0] = frame.method();
        }
        return true;
    }

    private void finish(Stamp at, ThreadId thread, ObjectMonitor monitor, boolean waits, boolean timedOut) {
        if (asksForOwners && !waits) {
            countUnlessOwn(info.monitorOwner(), thread);
        }
        Start start = started.remove(thread);
        if (start == null || start.waits != waits || !start.monitor.equals(monitor) || at.nanos() < start.nanos) {
            errors.add("the end of a " + (waits ? "wait" : "contention") + " of " + thread + " for " + monitor + " at "
                    + at.nanos() + ", after " + start);
            return;
        }
        Total total = totals.computeIfAbsent(new Key(waits, monitor, start.site), each -> new Total());
        total.count.increment();
        total.timedOut.add(timedOut ? 1 : 0);
        total.nanos.add(at.nanos() - start.nanos);
    }

    /** Returns a line for each monitor, kind and method: kind, class, identity, method, count, time-outs, ns. */
    private String totals() {
        StringBuilder lines = new StringBuilder();
        totals.forEach((key, total) -> lines.append(key.waits ? "wait " : "contention ")
                .append(info.describe(key.monitor.type()).name())
                .append(' ')
                .append(key.monitor.identity())
                .append(' ')
                .append(key.site)
                .append(' ')
                .append(total.count)
                .append(' ')
                .append(total.timedOut)
                .append(' ')
                .append(total.nanos)
                .append('\n'));
        return lines.toString();
    }

    @Override
    public byte[] command(byte[] command) {
        String answer = switch (new String(command, StandardCharsets.UTF_8)) {
            case "totals" -> totals();
            case "errors" -> errors.toString();
            case "sum" -> contentions + " " + contentionNanos;
            case "owners" -> owners.toString();
            case "owner" -> ownerOutsideOfACallback();
            case "on" -> {
                started.clear();
                info.setEventMask(MONITORS);
                yield "OK";
            }
            case "off" -> {
                info.setEventMask(EnumSet.of(Event.STACK_SNAPSHOTS));
                yield "OK";
            }
            default -> throw new IllegalArgumentException();
        };
        return answer.getBytes(StandardCharsets.UTF_8);
    }
}
