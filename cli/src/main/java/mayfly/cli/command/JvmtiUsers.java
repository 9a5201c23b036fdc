package mayfly.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mayfly.audit.Audit;
import mayfly.audit.AuditSection;
import mayfly.discovery.Refused;

/** The users of JVMTI in a process, in words. */
final class JvmtiUsers {
    private JvmtiUsers() {}

    /** Describes the users, and if virtual threads have the lasting cost of JVMTI; or why they are not seen. */
    static String of(int pid) {
        try {
            return of(Audit.environmentsOf(pid));
        } catch (Refused e) {
            return "not seen: " + e.getMessage();
        }
    }

    static String of(AuditSection read) {
        if (!read.isSeen()) {
            return "not seen: " + read.problem();
        }
        List<String> used = new ArrayList<>();
        boolean isSlower = false;
        for (Map.Entry<String, Long> item : read.items().entrySet()) {
            if (item.getKey().contains(AuditSection.PERMANENT)) {
                isSlower |= item.getKey().endsWith(AuditSection.VIRTUAL_THREADS);
            } else {
                used.add((item.getValue() > 1 ? item.getValue() + " × " : "") + item.getKey());
            }
        }
        return (used.isEmpty() ? "no environment" : String.join("; ", used))
                + (isSlower
                        ? "; virtual threads are slower until the process ends, and another user of JVMTI costs them"
                                + " nothing more"
                        : "");
    }
}
