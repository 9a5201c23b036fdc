package mayfly.linux.proc;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import mayfly.process.Mapping;
import org.jspecify.annotations.Nullable;

/** Parses the text of /proc/PID/maps, see proc_pid_maps(5). */
public final class Maps {
    /** Upper bound on the number of mappings: four times the default of vm.max_map_count. */
    private static final int MAX_MAPPINGS = 1 << 18;
    /** Upper bound on the characters of distinct paths: two thousand paths of maximum length. */
    private static final int MAX_CHARACTERS = 8 << 20;

    private Maps() {}

    /**
     * Reads the mappings of a file in the kernel's order. Malformed lines and [vsyscall], which no call can read, are
     * left out.
     *
     * @param most upper bound on the bytes read
     * @throws ProcFileTooLarge if the file is larger, or has more mappings than any supported process
     * @throws IOException if the file cannot be read
     */
    public static List<Mapping> read(String path, long most) throws IOException {
        Collected all = new Collected();
        forEach(path, most, all);
        return all.found();
    }

    /**
     * Reads the mappings of a text while parsing it, so that only the mappings take memory.
     *
     * @throws IOException if the text cannot be read
     */
    public static List<Mapping> read(InputStream text, String what) throws IOException {
        Collected all = new Collected();
        ProcLines.of(text, what, Long.MAX_VALUE, line -> accept(line, all));
        return all.found();
    }

    /**
     * Passes each mapping of a file to a consumer.
     *
     * @param most upper bound on the bytes read
     * @throws ProcFileTooLarge if the file is larger
     * @throws IOException if the file cannot be read
     */
    public static void forEach(String path, long most, Consumer<Mapping> each) throws IOException {
        ProcLines.of(path, most, line -> accept(line, each));
    }

    /** Parses the mappings of a text. */
    static List<Mapping> parse(String text) throws IOException {
        Collected all = new Collected();
        ProcLines.ofText(text, line -> accept(line, all));
        return all.found();
    }

    private static void accept(String line, Consumer<Mapping> each) {
        Mapping mapping = parseLine(line);
        if (mapping != null && !mapping.path().equals("[vsyscall]")) {
            each.accept(mapping);
        }
    }

    /**
     * A list of bounded size: any user can create as many mappings as vm.max_map_count allows, with paths of 4096
     * bytes.
     */
    private static final class Collected implements Consumer<Mapping> {
        private final List<Mapping> mappings = new ArrayList<>();
        private final Map<String, String> texts = new HashMap<>();
        private long characters;
        private boolean tooLarge;

        @Override
        public void accept(Mapping mapping) {
            tooLarge |= mappings.size() >= MAX_MAPPINGS;
            String path = shared(mapping.path());
            String device = shared(mapping.device());
            if (!tooLarge) {
                mappings.add(new Mapping(
                        mapping.start(),
                        mapping.end(),
                        mapping.readable(),
                        mapping.writable(),
                        mapping.executable(),
                        mapping.offset(),
                        device,
                        mapping.inode(),
                        path));
            }
        }

        /** Returns one shared string per path, because most mappings have the path of another one. */
        private String shared(String text) {
            String known = texts.get(text);
            if (known != null) {
                return known;
            }
            characters += text.length();
            tooLarge |= characters > MAX_CHARACTERS;
            if (!tooLarge) {
                texts.put(text, text);
            }
            return text;
        }

        List<Mapping> found() throws IOException {
            if (tooLarge) {
                throw new ProcFileTooLarge("the process has more than " + MAX_MAPPINGS + " mappings, or more than "
                        + (MAX_CHARACTERS >> 20) + " MiB of different paths in them");
            }
            return mappings;
        }
    }

    /** Parses {@code 7f0b1000-7f0b2000 r-xp 00001000 fe:00 1234      /path with blanks}. */
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
            return new Mapping(
                    start,
                    end,
                    flags.charAt(0) == 'r',
                    flags.charAt(1) == 'w',
                    flags.charAt(2) == 'x',
                    offset,
                    line.substring(afterOffset + 1, afterDevice),
                    inode,
                    line.substring(afterInode).stripLeading());
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
