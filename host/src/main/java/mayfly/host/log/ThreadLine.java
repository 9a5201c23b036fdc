package mayfly.host.log;

import org.jspecify.annotations.Nullable;

/**
 * The line of a thread (tags os+thread). Threads of the JVM itself have the first two lines too. The thread that
 * creates another writes the first line, and the new thread the others: the second before the JVM adds it to its list,
 * and the last one after it is no longer alive.
 *
 * <pre>
 * Thread "Unknown thread" started (pthread id: 140350141085376, attributes: stacksize: 1024k, detached).
 * Thread is alive (tid: 12054, pthread id: 140350141085376).
 * JavaThread exiting (name: "worker", tid: 12054).
 * </pre>
 *
 * @param kind what the line reports
 * @param number the number that the kernel has given to the thread; 0 for a thread that is created
 */
public record ThreadLine(Kind kind, long number) {
    /** The event that a line reports. */
    public enum Kind {
        /** The thread that writes the line has created another one. */
        CREATED,
        /** The thread starts. */
        STARTS,
        /** The thread ends. */
        ENDS
    }

    private static final String CREATED = "\" started (pthread id: ";

    /** Returns the thread, or null if the line is not understood. */
    public static @Nullable ThreadLine parse(String line) {
        boolean starts = line.startsWith("Thread is alive (") || line.startsWith("Thread attached (");
        boolean ends = line.startsWith("JavaThread exiting (") || line.startsWith("JavaThread detaching (");
        // A name may contain any text, and stands before the number.
        int at = starts ? line.indexOf("(tid: ") : line.lastIndexOf("tid: ");
        long number = at < 0 ? -1 : LogNumbers.decimalAt(line, line.indexOf(' ', at) + 1);
        if (line.startsWith("Thread \"") && line.contains(CREATED)) {
            return new ThreadLine(Kind.CREATED, 0);
        }
        Kind kind = starts ? Kind.STARTS : Kind.ENDS;
        return (starts || ends) && number > 0 ? new ThreadLine(kind, number) : null;
    }
}
