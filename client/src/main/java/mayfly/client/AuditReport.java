package mayfly.client;

import java.time.Instant;
import java.util.List;

/** Everything in a process that a profiler could have left. docs/formats/audit.md explains the texts. */
public sealed interface AuditReport permits AuditResults.Report {
    long pid();

    /** Returns the time of the audit. */
    Instant time();

    /** Returns the runtimes of the process, with their versions and addresses, in words. */
    List<String> runtimes();

    /** Returns aspects of a process that no kind covers, in words. */
    String notSeen();

    List<Kind> kinds();

    /** One kind of items. */
    sealed interface Kind permits AuditResults.OneKind {
        /** Returns its word, such as threads. */
        String kind();

        /** Returns how it is observed, in words. */
        String seen();

        /** Returns the parts of it that cannot be observed from outside, in words. */
        String unseen();

        /** Returns why it could not be read now; empty if it was read. */
        String problem();

        List<Item> items();
    }

    /** One item, or several with the same text. */
    sealed interface Item permits AuditResults.OneItem {
        /** Returns its text. Untrusted. */
        String text();

        /** Returns how many there are. */
        long count();

        /**
         * Returns its owner: mayfly (a profiler that is attached or not completely unloaded), remains (it remains after
         * a profiler), agent (another agent), or unknown (the program or the JVM, or the owner is not certain).
         */
        String owner();
    }
}
