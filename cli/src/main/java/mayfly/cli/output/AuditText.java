package mayfly.cli.output;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.stream.Collectors;
import mayfly.audit.Audit;
import mayfly.audit.Audit.Owner;
import mayfly.audit.AuditComparison;
import mayfly.audit.AuditDifference;
import mayfly.audit.AuditKind;
import mayfly.audit.AuditSection;
import mayfly.audit.Verdict;

/** An audit as text. */
public final class AuditText {
    private AuditText() {}

    /**
     * Prints an audit.
     *
     * @param all true to list each class and each system property too
     */
    public static void listed(int pid, Audit audit, boolean all, PrintStream out) {
        out.println(head(pid, audit));
        for (AuditKind kind : AuditKind.values()) {
            AuditSection section = audit.section(kind);
            out.println();
            out.println(kind.title()
                    + (section.isSeen()
                            ? ": " + Text.count(section.count())
                            : " cannot be seen: " + Text.printable(section.problem())));
            if (section.isSeen()) {
                out.println("  seen in  " + kind.seen());
            }
            out.println("  not seen " + kind.unseen());
            items(audit, section, all)
                    .forEach((item, count) -> out.println("    " + item(item, count) + owner(audit, kind, item)));
            loaders(audit, section, all)
                    .forEach((loader, count) -> out.println("    " + Text.count(count) + " " + Text.printable(loader)));
        }
        out.println();
        out.println("not seen: " + AuditKind.NOT_SEEN);
        out.println(presence(audit));
    }

    private static String head(int pid, Audit audit) {
        return "process " + pid + ", " + String.join(", ", Text.runtimes(audit.runtimes()));
    }

    /**
     * Returns the items of a section. Classes and properties are numerous, so only those of another agent are
     * included.
     */
    private static Map<String, Long> items(Audit audit, AuditSection section, boolean all) {
        Map<String, Long> shown = new TreeMap<>(section.items());
        if (!all && (section.kind() == AuditKind.CLASSES || section.kind() == AuditKind.SYSTEM_PROPERTIES)) {
            shown.keySet().removeIf(item -> audit.owner(section.kind(), item) != Owner.AGENT);
        }
        return shown;
    }

    /** Returns the number of classes of each loader; a loader of Mayfly is marked as such. */
    private static Map<String, Long> loaders(Audit audit, AuditSection section, boolean all) {
        Map<String, Long> counts = new TreeMap<>();
        if (!all && section.kind() == AuditKind.CLASSES) {
            section.items().forEach((item, count) -> {
                boolean ours = audit.owner(section.kind(), item) == Owner.MAYFLY;
                counts.merge(
                        item.substring(item.lastIndexOf(" in ") + 1) + (ours ? owner(audit, section.kind(), item) : ""),
                        count,
                        Long::sum);
            });
        }
        return counts;
    }

    private static String item(String item, long count) {
        return Text.printable(item) + (count == 1 ? "" : " (" + Text.count(count) + ")");
    }

    private static String owner(Audit audit, AuditKind kind, String item) {
        return switch (audit.owner(kind, item)) {
            case MAYFLY -> "  <- Mayfly's";
            case AGENT -> "  <- an agent's";
            case REMAINS -> "  <- remains after a profiler";
            case UNKNOWN -> "";
        };
    }

    /** Returns a line with the number of Mayfly's items, other agents' items, and items left after a profiler. */
    public static String presence(Audit audit) {
        String mayfly = counts(audit.of(Owner.MAYFLY));
        String agents = counts(audit.of(Owner.AGENT));
        String remains = counts(audit.of(Owner.REMAINS));
        var line = new StringBuilder(mayfly.isEmpty() ? "nothing belongs to Mayfly" : "items of Mayfly: " + mayfly);
        if (!agents.isEmpty()) {
            line.append("; items of other agents: ").append(agents);
        } else {
            line.append(mayfly.isEmpty() ? " or to another agent" : "; items of other agents: none");
        }
        if (!remains.isEmpty()) {
            line.append("; items that remain after a profiler that used JVMTI: ")
                    .append(remains);
        }
        List<String> unseen = audit.sections().values().stream()
                .filter(section -> !section.isSeen())
                .map(section -> section.kind().title())
                .toList();
        if (!unseen.isEmpty()) {
            line.append("; not seen: ").append(String.join(", ", unseen));
        }
        return line.toString();
    }

    private static String counts(Map<AuditKind, Long> counts) {
        return counts.entrySet().stream()
                .map(kind -> kind.getKey().title() + " (" + Text.count(kind.getValue()) + ")")
                .collect(Collectors.joining(", "));
    }

    /**
     * Prints a comparison of two audits.
     *
     * @param all true to print each item instead of sums, and what cannot be seen of each kind
     */
    public static void compared(
            int pid, Audit now, Audit before, AuditComparison comparison, boolean all, PrintStream out) {
        out.println(head(pid, now) + ", "
                + Text.seconds(Duration.between(before.time(), now.time()).toNanos()) + " after the saved audit");
        for (Verdict verdict : new Verdict[] {Verdict.LEFTOVER, Verdict.CHANGED, Verdict.ALLOWED}) {
            print(verdict, comparison.of(verdict), all, out);
        }
        comparison
                .uncompared()
                .forEach((kind, why) -> out.println("not compared: " + kind.title() + ": " + Text.printable(why)));
        if (all) {
            for (AuditKind kind : AuditKind.values()) {
                out.println("not seen, " + kind.title() + ": " + kind.unseen());
            }
        }
        out.println("not seen: " + AuditKind.NOT_SEEN + (all ? "" : "; --all lists the limits of each kind"));
        out.println(summary(comparison));
    }

    /** Prints one line for each group; with {@code each}, and for leftovers, one line for each item. */
    private static void print(Verdict verdict, List<AuditDifference> differences, boolean each, PrintStream out) {
        Map<String, List<AuditDifference>> groups = new LinkedHashMap<>();
        for (AuditDifference difference : differences) {
            String key = difference.kind().title() + (difference.came() ? "+" : "-") + difference.reason();
            if (each || verdict == Verdict.LEFTOVER) {
                key += difference.item();
            } else if (verdict != Verdict.ALLOWED) {
                key += AuditGroup.of(difference);
            }
            groups.computeIfAbsent(key, group -> new ArrayList<>()).add(difference);
        }
        groups.values().forEach(group -> out.println(word(verdict) + "  " + line(verdict, group)));
    }

    private static String line(Verdict verdict, List<AuditDifference> group) {
        AuditDifference first = group.getFirst();
        long count = group.stream()
                .mapToLong(difference -> Math.abs(difference.after() - difference.before()))
                .sum();
        String what = Text.count(count);
        if (verdict != Verdict.ALLOWED && group.size() == 1) {
            what = item(first.item(), count);
        } else if (verdict != Verdict.ALLOWED && !AuditGroup.of(first).isEmpty()) {
            what += " " + Text.printable(AuditGroup.of(first));
        }
        return first.kind().title() + ": " + (first.came() ? "+ " : "- ") + what + ": " + first.reason();
    }

    private static String word(Verdict verdict) {
        return switch (verdict) {
            case LEFTOVER -> "leftover";
            case CHANGED -> "changed ";
            case ALLOWED -> "allowed ";
        };
    }

    private static String summary(AuditComparison comparison) {
        List<AuditDifference> changes = comparison.of(Verdict.CHANGED);
        String unseen = comparison.uncompared().isEmpty()
                ? ""
                : "; "
                        + comparison.uncompared().keySet().stream()
                                .map(AuditKind::title)
                                .collect(Collectors.joining(", "))
                        + " could not be compared";
        return result(comparison)
                + (changes.isEmpty() ? "" : "; changed, by the program, the JVM or a profiler: " + sums(changes))
                + unseen;
    }

    private static String result(AuditComparison comparison) {
        int leftovers = comparison.of(Verdict.LEFTOVER).size();
        if (leftovers > 0) {
            return leftovers == 1 ? "1 leftover was found" : leftovers + " leftovers were found";
        }
        if (!comparison.of(Verdict.CHANGED).isEmpty()) {
            return "no leftover was found";
        }
        return comparison.of(Verdict.ALLOWED).isEmpty()
                ? "nothing is different"
                : "only items that may remain are left";
    }

    /** Returns the number of added and removed items of each kind, such as {@code threads (+2), classes (+31, -4)}. */
    private static String sums(List<AuditDifference> differences) {
        Map<AuditKind, long[]> sums = new EnumMap<>(AuditKind.class);
        for (AuditDifference difference : differences) {
            long[] sum = sums.computeIfAbsent(difference.kind(), kind -> new long[2]);
            sum[difference.came() ? 0 : 1] += Math.abs(difference.after() - difference.before());
        }
        return sums.entrySet().stream()
                .map(kind -> kind.getKey().title() + " (" + sum(kind.getValue()) + ")")
                .collect(Collectors.joining(", "));
    }

    private static String sum(long[] addedAndRemoved) {
        var words = new StringJoiner(", ");
        if (addedAndRemoved[0] != 0) {
            words.add("+" + Text.count(addedAndRemoved[0]));
        }
        if (addedAndRemoved[1] != 0) {
            words.add("-" + Text.count(addedAndRemoved[1]));
        }
        return words.toString();
    }
}
