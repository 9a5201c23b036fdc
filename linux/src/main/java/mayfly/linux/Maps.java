package mayfly.linux;

import java.util.ArrayList;
import java.util.List;
import mayfly.process.Mapping;
import org.jspecify.annotations.Nullable;

/** Parses the text of /proc/PID/maps, see proc_pid_maps(5). */
final class Maps {

    private Maps() {
    }

    /**
     * The mappings in the kernel's order. A line that is not one, and [vsyscall], which no call can read, is left out.
     */
    static List<Mapping> parse(String text) {
        List<Mapping> found = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int end = text.indexOf('\n', at);
            if (end < 0) {
                end = text.length();
            }
            Mapping mapping = parseLine(text.substring(at, end));
            if (mapping != null && !mapping.path().equals("[vsyscall]")) {
                found.add(mapping);
            }
            at = end + 1;
        }
        return found;
    }

    /** {@code 7f0b1000-7f0b2000 r-xp 00001000 fe:00 1234      /path with blanks}. */
    private static @Nullable Mapping parseLine(String line) {
        int dash = line.indexOf('-');
        int afterRange = line.indexOf(' ');
        int afterFlags = line.indexOf(' ', afterRange + 1);
        int afterOffset = line.indexOf(' ', afterFlags + 1);
        int afterDevice = line.indexOf(' ', afterOffset + 1);
        if (dash <= 0 || afterRange <= dash || afterFlags < afterRange + 4 || afterOffset < 0 || afterDevice < 0) {
            return null;
        }
        int afterInode = line.indexOf(' ', afterDevice + 1);
        if (afterInode < 0) {
            afterInode = line.length();
        }
        String flags = line.substring(afterRange + 1, afterFlags);
        try {
            long start = Long.parseUnsignedLong(line, 0, dash, 16);
            long end = Long.parseUnsignedLong(line, dash + 1, afterRange, 16);
            long offset = Long.parseUnsignedLong(line, afterFlags + 1, afterOffset, 16);
            long inode = Long.parseUnsignedLong(line, afterDevice + 1, afterInode, 10);
            if (Long.compareUnsigned(start, end) >= 0) {
                return null;
            }
            return new Mapping(start, end, flags.charAt(0) == 'r', flags.charAt(1) == 'w', flags.charAt(2) == 'x',
                    offset, line.substring(afterOffset + 1, afterDevice), inode,
                    line.substring(afterInode).stripLeading());
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
