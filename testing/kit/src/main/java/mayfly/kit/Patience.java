package mayfly.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * How long a test waits for a state before it fails. The limits in the tests are for an idle machine; on a busy one a program gets
 * its share of the CPUs only, and the limit grows by as much.
 */
public final class Patience {
    private static final Path LOAD = Path.of("/proc/loadavg");
    private static final double MOST = 50;

    private Patience() {
    }

    /** The limit, times the number of programs that want each CPU at present if that is more than one. */
    public static Duration of(Duration limit) {
        return Duration.ofMillis((long) (limit.toMillis() * factor(load(), Runtime.getRuntime().availableProcessors())));
    }

    static double factor(double load, int cpus) {
        return Math.clamp(load / cpus, 1, MOST);
    }

    /** The load average of the last minute, see proc_loadavg(5); 0 if it cannot be read. */
    private static double load() {
        try {
            return Double.parseDouble(Files.readString(LOAD).split(" ", 2)[0]);
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }
}
