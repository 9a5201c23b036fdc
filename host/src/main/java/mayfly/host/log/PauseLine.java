package mayfly.host.log;

import java.time.Duration;
import java.util.OptionalLong;
import mayfly.api.event.GarbageCollection;
import org.jspecify.annotations.Nullable;

/**
 * The line of a pause of a collection (tags gc, and gc+phases for ZGC):
 *
 * <pre>
 * GC(8) Pause Young (Normal) (G1 Evacuation Pause) 6M->1M(10M) 3.184ms
 * GC(5) Y: Pause Mark Start (Major) 0.005ms
 * </pre>
 */
public final class PauseLine {
    private static final String NUMBER = "GC(";
    private static final String PAUSE = " Pause ";

    private PauseLine() {}

    /**
     * Returns the pause, or null if the line is not understood.
     *
     * @param suspension the number of the suspension during which the line was written; 0 if it is unknown
     */
    public static @Nullable GarbageCollection parse(String line, long suspension) {
        int pause = line.indexOf(PAUSE);
        int last = line.lastIndexOf(' ');
        if (!line.startsWith(NUMBER) || pause < 0 || last < pause + PAUSE.length()) {
            return null;
        }
        long number = LogNumbers.decimal(line, NUMBER.length(), line.indexOf(')'));
        long nanos = LogNumbers.millis(line.substring(last + 1));
        if (number < 0 || nanos < 0) {
            return null;
        }
        String words = line.substring(pause + PAUSE.length(), last);
        int space = words.lastIndexOf(' ');
        Sizes sizes = Sizes.parse(words.substring(space + 1));
        // Only a pause that has sizes has a cause: other words in parentheses describe the kind.
        String kind = sizes == null ? words : words.substring(0, Math.max(space, 0));
        int cause = sizes == null ? -1 : beginOfLastGroup(kind);
        return new GarbageCollection(
                number,
                cause < 0 ? kind : kind.substring(0, cause).strip(),
                cause < 0 ? "" : kind.substring(cause + 1, kind.length() - 1),
                Duration.ofNanos(nanos),
                sizes == null ? OptionalLong.empty() : OptionalLong.of(sizes.before),
                sizes == null ? OptionalLong.empty() : OptionalLong.of(sizes.after),
                sizes == null ? OptionalLong.empty() : OptionalLong.of(sizes.capacity),
                suspension == 0 ? OptionalLong.empty() : OptionalLong.of(suspension));
    }

    /** Returns the index of the parenthesis that the last one closes; -1 if the text does not end with one. */
    private static int beginOfLastGroup(String text) {
        int open = 0;
        for (int i = text.length() - 1; i >= 0; i--) {
            open += text.charAt(i) == ')' ? 1 : 0;
            open -= text.charAt(i) == '(' ? 1 : 0;
            if (open == 0) {
                return i == text.length() - 1 ? -1 : i;
            }
        }
        return -1;
    }

    /** {@code 6M->1M(10M)}. */
    private record Sizes(long before, long after, long capacity) {
        static @Nullable Sizes parse(String text) {
            int arrow = text.indexOf("->");
            int open = text.indexOf('(');
            if (arrow < 0 || open < arrow || !text.endsWith(")")) {
                return null;
            }
            long before = LogNumbers.bytes(text, 0, arrow);
            long after = LogNumbers.bytes(text, arrow + 2, open);
            long capacity = LogNumbers.bytes(text, open + 1, text.length() - 1);
            return before < 0 || after < 0 || capacity < 0 ? null : new Sizes(before, after, capacity);
        }
    }
}
