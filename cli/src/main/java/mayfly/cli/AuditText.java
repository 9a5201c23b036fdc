package mayfly.cli;

import java.io.PrintStream;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import mayfly.attach.audit.Audit;
import mayfly.attach.audit.Audit.Owner;
import mayfly.attach.audit.AuditComparison;
import mayfly.attach.audit.AuditDifference;
import mayfly.attach.audit.AuditKind;
import mayfly.attach.audit.AuditSection;
import mayfly.attach.audit.Verdict;

/** An audit for a reader. */
final class AuditText {
    private AuditText() {
    }

    /** @param all whether kinds of which there are thousands are listed too */
    static void listed(int pid, Audit audit, boolean all, PrintStream out) {
        out.println(head(pid, audit));
        for (AuditKind kind : AuditKind.values()) {
            AuditSection section = audit.section(kind);
            out.println();
            out.println(kind.title() + (section.isSeen() ? ": " + Text.count(section.count())
                    : " cannot be seen: " + Text.printable(section.problem())));
            if (section.isSeen()) {
                out.println("  seen in  " + kind.seen());
            }
            out.println("  not seen " + kind.unseen());
            items(section, all).forEach((item, count) -> out.println("    " + item(item, count) + owner(kind, item)));
            loaders(section, all).forEach((loader, count) -> out.println("    " + Text.count(count) + " "
                    + Text.printable(loader)));
        }
        out.println();
        out.println(presence(audit));
    }

    private static String head(int pid, Audit audit) {
        return "process " + pid + ", " + String.join(", ", Text.runtimes(audit.runtimes()));
    }

    /** Of classes and properties, of which there are many, only those that are another agent's. */
    private static Map<String, Long> items(AuditSection section, boolean all) {
        Map<String, Long> shown = new TreeMap<>(section.items());
        if (!all && (section.kind() == AuditKind.CLASSES || section.kind() == AuditKind.SYSTEM_PROPERTIES)) {
            shown.keySet().removeIf(item -> Audit.owner(section.kind(), item) != Owner.AGENT);
        }
        return shown;
    }

    /** How many classes each loader has, and whose they are. */
    private static Map<String, Long> loaders(AuditSection section, boolean all) {
        Map<String, Long> counts = new TreeMap<>();
        if (!all && section.kind() == AuditKind.CLASSES) {
            section.items().forEach((item, count) -> {
                boolean ours = Audit.owner(section.kind(), item) == Owner.MAYFLY;
                counts.merge(item.substring(item.lastIndexOf(" in ") + 1) + (ours ? owner(section.kind(), item) : ""),
                        count, Long::sum);
            });
        }
        return counts;
    }

    private static String item(String item, long count) {
        return Text.printable(item) + (count == 1 ? "" : " (" + Text.count(count) + ")");
    }

    private static String owner(AuditKind kind, String item) {
        return switch (Audit.owner(kind, item)) {
            case MAYFLY -> "  <- Mayfly's";
            case AGENT -> "  <- an agent's";
            case REMAINS -> "  <- stays after a profiler";
            case NOBODY -> "";
        };
    }

    /** In one line: what of Mayfly's, or of another agent's, is there. */
    static String presence(Audit audit) {
        String mayfly = counts(audit.of(Owner.MAYFLY));
        String agents = counts(audit.of(Owner.AGENT));
        String remains = counts(audit.of(Owner.REMAINS));
        var line = new StringBuilder(mayfly.isEmpty() ? "nothing of Mayfly's is there" : "of Mayfly's there are "
                + mayfly);
        line.append(agents.isEmpty() ? mayfly.isEmpty() ? ", nor of another agent's" : "; of another agent's nothing"
                : "; of other agents " + agents);
        if (!remains.isEmpty()) {
            line.append("; what stays after a profiler that used JVMTI: ").append(remains);
        }
        List<String> unseen = audit.sections().values().stream().filter(section -> !section.isSeen())
                .map(section -> section.kind().title()).toList();
        if (!unseen.isEmpty()) {
            line.append("; not seen: ").append(String.join(", ", unseen));
        }
        return line.toString();
    }

    private static String counts(Map<AuditKind, Long> counts) {
        return counts.entrySet().stream().map(kind -> kind.getKey().title() + " (" + Text.count(kind.getValue()) + ")")
                .collect(Collectors.joining(", "));
    }

    /** @param all whether what is allowed is named one by one */
    static void compared(int pid, Audit now, Audit before, AuditComparison comparison, boolean all, PrintStream out) {
        out.println(head(pid, now) + ", " + Text.seconds(Duration.between(before.time(), now.time()).toNanos())
                + " after it was saved");
        for (Verdict verdict : new Verdict[] {Verdict.TRACE, Verdict.CHANGED, Verdict.ALLOWED}) {
            print(verdict, comparison.of(verdict), all || verdict != Verdict.ALLOWED, out);
        }
        comparison.uncompared().forEach((kind, why) -> out.println("not compared: " + kind.title() + ": "
                + Text.printable(why)));
        out.println(summary(comparison));
    }

    private static void print(Verdict verdict, List<AuditDifference> differences, boolean each, PrintStream out) {
        if (each) {
            for (AuditDifference difference : differences) {
                out.println(word(verdict) + "  " + difference.kind().title() + ": " + (difference.came() ? "+ " : "- ")
                        + item(difference.item(), Math.abs(difference.after() - difference.before())) + ": "
                        + difference.reason());
            }
            return;
        }
        Map<AuditKind, Map<String, Long>> sums = new EnumMap<>(AuditKind.class);
        for (AuditDifference difference : differences) {
            sums.computeIfAbsent(difference.kind(), kind -> new LinkedHashMap<>())
                    .merge(difference.reason(), difference.after() - difference.before(), Long::sum);
        }
        sums.forEach((kind, reasons) -> reasons.forEach((reason, count) -> out.println(word(verdict) + "  "
                + kind.title() + ": + "
                + Text.count(count) + ": " + reason)));
    }

    private static String word(Verdict verdict) {
        return switch (verdict) {
            case TRACE -> "trace  ";
            case CHANGED -> "changed";
            case ALLOWED -> "allowed";
        };
    }

    private static String summary(AuditComparison comparison) {
        int traces = comparison.of(Verdict.TRACE).size();
        int changes = comparison.of(Verdict.CHANGED).size();
        String unseen = comparison.uncompared().isEmpty() ? "" : "; "
                + comparison.uncompared().keySet().stream().map(AuditKind::title).collect(Collectors.joining(", "))
                + " could not be compared";
        return (traces > 0 ? traces == 1 ? "1 trace is left" : traces + " traces are left"
                : "nothing is left but what may remain")
                + (changes == 0 ? "" : "; " + changes + (changes == 1 ? " change" : " changes")
                + " may be the program's or the JVM's own") + unseen;
    }
}
