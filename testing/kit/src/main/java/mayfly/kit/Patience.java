package mayfly.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Adapts the time limits of tests to the load of the machine. The limits in the tests are for an idle machine. On a
 * busy machine a program gets only a share of the CPUs, and the limit is multiplied accordingly.
 */
public final class Patience {
    private static final Path LOAD = Path.of("/proc/loadavg");
    private static final double MOST = 50;

    private Patience() {}

    /** Returns the limit, multiplied by the load average per CPU if that is more than one, but by no more than 50. */
    public static Duration of(Duration limit) {
        return Duration.ofMillis(
                (long) (limit.toMillis() * factor(load(), Runtime.getRuntime().availableProcessors())));
    }

    static double factor(double load, int cpus) {
        return Math.clamp(load / cpus, 1, MOST);
    }

    /** Returns the load average of the last minute, see proc_loadavg(5); 0 if it cannot be read. */
    private static double load() {
        try {
            return Double.parseDouble(Files.readString(LOAD).split(" ", 2)[0]);
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }
}
