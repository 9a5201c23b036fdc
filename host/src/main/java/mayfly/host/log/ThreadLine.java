package mayfly.host.log;

import org.jspecify.annotations.Nullable;

/**
 * The line of a thread (tags os+thread). Threads of the JVM itself have lines of their start too. The JVM writes the
 * first line before it adds the thread to its list, and the last one after the thread is no longer alive.
 *
 * <pre>
 * Thread is alive (tid: 12054, pthread id: 140350141085376).
 * JavaThread exiting (name: "worker", tid: 12054).
 * </pre>
 *
 * @param starts true if the thread starts, false if it ends
 * @param number the number that the kernel has given to the thread
 */
public record ThreadLine(boolean starts, long number) {
    /** Returns the thread, or null if the line is not understood. */
    public static @Nullable ThreadLine parse(String line) {
        boolean starts = line.startsWith("Thread is alive (") || line.startsWith("Thread attached (");
        boolean ends = line.startsWith("JavaThread exiting (") || line.startsWith("JavaThread detaching (");
        // A name may contain any text, and stands before the number.
        int at = starts ? line.indexOf("(tid: ") : line.lastIndexOf("tid: ");
        long number = at < 0 ? -1 : LogNumbers.decimalAt(line, line.indexOf(' ', at) + 1);
        return (starts || ends) && number > 0 ? new ThreadLine(starts, number) : null;
    }
}
