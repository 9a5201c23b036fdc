package mayfly.linux.proc;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The online CPUs, from /sys/devices/system/cpu/online, such as {@code 0-3,6}; from /proc/stat if /sys is not mounted.
 * Containers may have a /proc/stat of their own, which has other CPUs.
 */
public final class OnlineCpus {
    private static final int MAX_CPU = 8192;
    /** Upper bound on the size of /proc/stat: 100 bytes for each CPU, and a line with the counts of interrupts. */
    private static final int MAX_STAT = 4 << 20;

    private static final Pattern CPU = Pattern.compile("^cpu([0-9]{1,4}) ", Pattern.MULTILINE);

    private OnlineCpus() {}

    /**
     * Returns the numbers of the online CPUs, in the order of the file; CPU 0 if the file lists none.
     *
     * @throws IOException if no file can be read
     */
    public static int[] read() throws IOException {
        int[] cpus = listed();
        return cpus.length > 0 ? cpus : new int[] {0};
    }

    private static int[] listed() throws IOException {
        String list;
        try {
            list = ProcFile.line("/sys/devices/system/cpu/online");
        } catch (NoSuchFileException e) {
            return parseStat(ProcFile.text("/proc/stat", MAX_STAT));
        }
        return parse(list);
    }

    static int[] parseStat(String text) {
        return CPU.matcher(text)
                .results()
                .mapToInt(cpu -> Integer.parseInt(cpu.group(1)))
                .distinct()
                .toArray();
    }

    static int[] parse(String text) {
        IntStream.Builder cpus = IntStream.builder();
        for (String range : text.strip().split(",")) {
            String[] ends = range.split("-", 2);
            try {
                int first = Integer.parseInt(ends[0]);
                int last = ends.length > 1 ? Integer.parseInt(ends[1]) : first;
                for (int cpu = Math.max(0, first); cpu <= Math.min(last, MAX_CPU); cpu++) {
                    cpus.add(cpu);
                }
            } catch (NumberFormatException e) {
                continue;
            }
        }
        return cpus.build().distinct().toArray();
    }
}
