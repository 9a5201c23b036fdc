package mayfly.cli.output;

import java.util.regex.Pattern;
import mayfly.audit.AuditDifference;

/** Groups items of the same kind: threads of a pool, classes of one loader, and loaders of the same class. */
final class AuditGroup {
    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final String IN = " in ";
    private static final String FIRST_CLASS = ", first class ";

    private AuditGroup() {}

    /** Returns the group's name, untrusted text. An item related to no other is a group of its own. */
    static String of(AuditDifference difference) {
        String item = difference.item();
        return switch (difference.kind()) {
            case THREADS, DESCRIPTORS, SOCKETS, CHILD_PROCESSES ->
                NUMBER.matcher(item).replaceAll("#");
            case CLASSES, TRANSFORMED_CLASSES -> item.contains(IN) ? item.substring(item.lastIndexOf(IN) + 1) : item;
            case CLASS_LOADERS -> item.contains(FIRST_CLASS) ? item.substring(0, item.lastIndexOf(FIRST_CLASS)) : item;
            default -> item;
        };
    }
}
