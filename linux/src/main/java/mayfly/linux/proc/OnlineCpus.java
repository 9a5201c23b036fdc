package mayfly.linux.proc;

import java.io.IOException;
import java.util.stream.IntStream;

/** The online CPUs, from /sys/devices/system/cpu/online, such as {@code 0-3,6}. */
public final class OnlineCpus {
    private static final int MAX_CPU = 8192;

    private OnlineCpus() {
    }

    /**
     * Returns the numbers of the online CPUs, in the order of the file; CPU 0 if the file lists none.
     *
     * @throws IOException if the file cannot be read
     */
    public static int[] read() throws IOException {
        int[] cpus = parse(ProcFile.line("/sys/devices/system/cpu/online"));
        return cpus.length > 0 ? cpus : new int[] {0};
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
