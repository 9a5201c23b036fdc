package mayfly.client;

import java.time.Instant;
import java.util.List;

/** The changes of a process since an audit was saved. docs/formats/audit.md explains the texts. */
public sealed interface AuditComparison permits AuditResults.Comparison {
    long pid();

    /** Returns the time of the audit. */
    Instant time();

    /** Returns the time of the saved audit. */
    Instant comparedWith();

    /** Returns the runtimes of the process, with their versions and addresses, in words. */
    List<String> runtimes();

    /** Returns aspects of a process that no kind covers, in words. */
    String notSeen();

    List<Difference> differences();

    /** Returns the kinds that one of the two audits could not read. */
    List<Uncompared> uncompared();

    /** Returns the differences that a profiler, or the tool that attached it, has left. */
    List<Difference> leftovers();

    /** One change. */
    sealed interface Difference permits AuditResults.OneDifference {
        /** Returns the word of its kind, such as threads. */
        String kind();

        /** Returns the text of the item. Untrusted. */
        String text();

        /** Returns how many there were at the time of the saved audit. */
        long before();

        /** Returns how many there are now. */
        long after();

        /** Returns the verdict: allowed (it may remain), changed (perhaps by the program or the JVM), or leftover. */
        String verdict();

        /** Returns the reason for the verdict, in words. */
        String reason();
    }

    /** A kind that could not be compared. */
    sealed interface Uncompared permits AuditResults.OneUncompared {
        String kind();

        /** Returns why, in words. */
        String reason();
    }
}
