package mayfly.cli.output;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import mayfly.stack.state.EnteredMonitor;
import mayfly.stack.state.LockReport;
import mayfly.stack.state.LockReport.AwaitedLock;
import mayfly.stack.state.VirtualThreadReport;
import org.jspecify.annotations.Nullable;

/** The locks of a thread dump as text: the words of jstack, with the owner of each lock. */
final class LockText {
    private static final int SHOWN = 20;
    /** The number of locks that are named for a group of virtual threads. */
    private static final int OF_GROUP = 3;

    private LockText() {}

    /** Appends the line of the head of a dump: the number of deadlocks, if there are any. */
    static void appendSummary(LockReport locks, StringBuilder text) {
        for (LockReport.Deadlock deadlock : locks.deadlocks()) {
            text.append("Deadlock: ")
                    .append(Text.count(deadlock.members().size()))
                    .append(" threads wait for one another, see the end.\n");
        }
    }

    /** Appends the line below the frame in which a thread waits. */
    static void appendLine(@Nullable AwaitedLock lock, StringBuilder text) {
        if (lock == null) {
            return;
        }
        if (!lock.unread().isEmpty()) {
            text.append("\t- [lock not read: ").append(lock.unread()).append("]\n");
            return;
        }
        text.append("\t- ").append(lock.kind().words()).append(' ');
        appendLock(lock, text);
        text.append('\n');
    }

    /** Appends the lines below a frame: the monitors that its method has entered, the last one first. */
    static void appendMonitors(List<EnteredMonitor> monitors, StringBuilder text) {
        for (EnteredMonitor monitor : monitors) {
            if (!monitor.unread().isEmpty()) {
                text.append("\t- [monitor not read: ").append(monitor.unread()).append("]\n");
                continue;
            }
            boolean isEliminated = monitor.state() == EnteredMonitor.State.ELIMINATED;
            text.append(isEliminated ? "\t- eliminated " : "\t- locked ");
            if (monitor.object() != 0) {
                text.append(address(monitor.object()));
            } else {
                text.append(isEliminated ? "<owner is scalar replaced>" : "<object not known>");
            }
            if (!monitor.type().isEmpty()) {
                text.append(" (a ").append(Text.escaped(monitor.type())).append(')');
            }
            text.append(monitor.state() == EnteredMonitor.State.LEFT ? ", released in wait()\n" : "\n");
        }
    }

    /** Appends the synchronizers that a thread owns and for which others wait. */
    static void appendSynchronizers(List<AwaitedLock> synchronizers, StringBuilder text) {
        if (synchronizers.isEmpty()) {
            return;
        }
        text.append("   Locked ownable synchronizers that threads wait for:\n");
        for (AwaitedLock each : synchronizers) {
            text.append("\t- ")
                    .append(address(each.object()))
                    .append(" (a ")
                    .append(Text.escaped(each.type()))
                    .append(")\n");
        }
    }

    private static String address(long object) {
        return String.format("<0x%016x>", object);
    }

    /** Appends the lines below the frame in which virtual threads with equal stacks wait: the most awaited locks. */
    static void appendLines(List<VirtualThreadReport.Member> threads, StringBuilder text) {
        Map<String, Integer> lines = new LinkedHashMap<>();
        for (VirtualThreadReport.Member thread : threads) {
            var line = new StringBuilder();
            appendLine(thread.lock(), line);
            if (!line.isEmpty()) {
                lines.merge(line.toString(), 1, Integer::sum);
            }
        }
        List<Map.Entry<String, Integer>> sorted = new ArrayList<>(lines.entrySet());
        sorted.sort(Map.Entry.<String, Integer>comparingByValue().reversed());
        for (Map.Entry<String, Integer> each : sorted.subList(0, Math.min(OF_GROUP, sorted.size()))) {
            String line = each.getKey();
            int count = each.getValue();
            text.append(line, 0, line.length() - 1)
                    .append(count == threads.size() ? "" : ": " + count(count))
                    .append('\n');
        }
        if (sorted.size() > OF_GROUP) {
            text.append("\t- and ").append(Text.count(sorted.size() - OF_GROUP)).append(" more\n");
        }
    }

    private static String count(int threads) {
        return threads == 1 ? "1 thread" : Text.count(threads) + " threads";
    }

    private static void appendLock(AwaitedLock lock, StringBuilder text) {
        boolean isClass = lock.kind() == AwaitedLock.Kind.INITIALIZATION;
        if (isClass) {
            text.append("the initialization of class ").append(Text.escaped(lock.type()));
        } else {
            text.append(address(lock.object()))
                    .append(" (a ")
                    .append(Text.escaped(lock.type()))
                    .append(')');
        }
        AwaitedLock.Owner owner = lock.owner();
        if (owner != null) {
            text.append(isClass ? " by " : ", held by ");
            appendOwner(owner, text);
        } else if (lock.ownership() == AwaitedLock.Ownership.UNKNOWN) {
            text.append(", owner not known");
        }
    }

    private static void appendOwner(AwaitedLock.Owner owner, StringBuilder text) {
        appendThread(owner, text);
        text.append(owner.tid() == 0 ? ", not mounted" : "");
    }

    private static void appendThread(AwaitedLock.Owner thread, StringBuilder text) {
        String name = '"' + Text.escaped(thread.name()) + '"';
        if (thread.tid() == 0) {
            text.append("virtual thread #").append(thread.id());
            text.append(thread.name().isEmpty() ? "" : " " + name);
        } else {
            text.append(name).append(" tid=").append(thread.tid());
        }
    }

    /** Appends the end of a dump: the deadlocks, and the locks for which threads wait. */
    static void append(LockReport locks, StringBuilder text) {
        for (LockReport.Deadlock deadlock : locks.deadlocks()) {
            text.append("\nDeadlock of ")
                    .append(Text.count(deadlock.members().size()))
                    .append(" threads:\n");
            for (LockReport.Member member : deadlock.members()) {
                text.append("  ");
                appendThread(new AwaitedLock.Owner(member.tid(), member.name(), member.id()), text);
                text.append(' ').append(member.lock().kind().words()).append(' ');
                appendLock(member.lock(), text);
                text.append('\n');
            }
        }
        List<LockReport.Contended> contended = locks.contended();
        if (contended.isEmpty()) {
            return;
        }
        text.append("\nLocks that threads wait for:\n");
        for (LockReport.Contended each : contended.subList(0, Math.min(SHOWN, contended.size()))) {
            text.append("  ");
            appendLock(each.lock(), text);
            int waiting = each.waiting();
            text.append(waiting == 1 ? ": 1 thread waits" : ": " + Text.count(waiting) + " threads wait")
                    .append('\n');
        }
        if (contended.size() > SHOWN) {
            text.append("  and ").append(Text.count(contended.size() - SHOWN)).append(" more\n");
        }
    }
}
