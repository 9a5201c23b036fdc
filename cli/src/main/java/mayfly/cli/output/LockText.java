package mayfly.cli.output;

import java.util.List;
import mayfly.stack.state.EnteredMonitor;
import mayfly.stack.state.LockReport;
import mayfly.stack.state.LockReport.AwaitedLock;
import org.jspecify.annotations.Nullable;

/** The locks of a thread dump as text: the words of jstack, with the owner of each lock. */
final class LockText {
    private static final int SHOWN = 20;

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

    private static void appendLock(AwaitedLock lock, StringBuilder text) {
        text.append(address(lock.object()))
                .append(" (a ")
                .append(Text.escaped(lock.type()))
                .append(')');
        AwaitedLock.Owner owner = lock.owner();
        if (owner != null) {
            text.append(", held by ");
            appendOwner(owner, text);
        } else if (lock.ownership() == AwaitedLock.Ownership.UNKNOWN) {
            text.append(", owner not known");
        }
    }

    private static void appendOwner(AwaitedLock.Owner owner, StringBuilder text) {
        if (owner.tid() == 0) {
            text.append("virtual thread #").append(owner.id()).append(", not mounted");
        } else {
            text.append('"')
                    .append(Text.escaped(owner.name()))
                    .append("\" tid=")
                    .append(owner.tid());
        }
    }

    /** Appends the end of a dump: the deadlocks, and the locks for which threads wait. */
    static void append(LockReport locks, StringBuilder text) {
        for (LockReport.Deadlock deadlock : locks.deadlocks()) {
            text.append("\nDeadlock of ")
                    .append(Text.count(deadlock.members().size()))
                    .append(" threads:\n");
            for (LockReport.Member member : deadlock.members()) {
                text.append("  \"")
                        .append(Text.escaped(member.name()))
                        .append("\" tid=")
                        .append(member.tid())
                        .append(' ')
                        .append(member.lock().kind().words())
                        .append(' ');
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
            int waiting = each.waiting().size();
            text.append(waiting == 1 ? ": 1 thread waits" : ": " + Text.count(waiting) + " threads wait")
                    .append('\n');
        }
        if (contended.size() > SHOWN) {
            text.append("  and ").append(Text.count(contended.size() - SHOWN)).append(" more\n");
        }
    }
}
