package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import mayfly.kit.Jdk;
import mayfly.kit.Project;

/** The place and time of a measurement. */
final class Machine {
    private Machine() {}

    /** Returns one paragraph: time, machine, kernel, settings, JDKs, commit, command. */
    static String describe(List<Jdk> jdks, String command) {
        return "Measured " + Instant.now().truncatedTo(ChronoUnit.MINUTES) + " on "
                + Runtime.getRuntime().availableProcessors() + " × " + cpuModel() + ", Linux "
                + word("/proc/sys/kernel/osrelease") + ", perf_event_paranoid "
                + word("/proc/sys/kernel/perf_event_paranoid") + ", user " + System.getProperty("user.name")
                + jdks.stream()
                        .map(jdk -> "JDK " + jdk.version())
                        .reduce((one, other) -> one + ", " + other)
                        .map("; "::concat)
                        .orElse("")
                + "; commit " + Project.commit() + ". Command: `" + command + "`.";
    }

    private static String cpuModel() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 2))
                    .orElse("unknown CPU");
        } catch (IOException e) {
            return "unknown CPU";
        }
    }

    private static String word(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
