package mayfly.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * CPU time of a process as the kernel counts it, see proc(5).
 *
 * @param userNanos in user mode, ns, at a resolution of a clock tick
 * @param systemNanos in the kernel, ns
 */
public record Cpu(long userNanos, long systemNanos) {
    /** USER_HZ is 100 on x86-64. */
    private static final long NANOS_PER_TICK = 10_000_000;

    private static final int UTIME = 11;
    private static final int STIME = 12;

    /** Returns the CPU time of a whole process, including ended threads. */
    public static Cpu of(long pid) {
        return stat(Path.of("/proc", Long.toString(pid), "stat"));
    }

    /** Returns the CPU time of each live thread, by its id. */
    public static Map<Integer, Cpu> ofThreads(long pid) {
        Map<Integer, Cpu> found = new HashMap<>();
        try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path task : tasks.toList()) {
                try {
                    found.put(Integer.parseInt(task.getFileName().toString()), stat(task.resolve("stat")));
                } catch (UncheckedIOException e) {
                    if (!(e.getCause() instanceof NoSuchFileException) && Files.exists(task)) {
                        throw e;
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    /** Returns the CPU time of a thread so far in ns, at the resolution of the scheduler. */
    public static long schedNanos(long pid, long tid) {
        try {
            String text = Files.readString(Path.of("/proc/" + pid + "/task/" + tid + "/schedstat"));
            return Long.parseLong(text.substring(0, text.indexOf(' ')));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the number of times that the threads that are alive now were put on a CPU so far. */
    public static long turns(long pid) {
        try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            long sum = 0;
            for (Path task : tasks.toList()) {
                sum += turns(task);
            }
            return sum;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns 0 for a thread that has ended. */
    private static long turns(Path task) throws IOException {
        try {
            String text = Files.readString(task.resolve("schedstat")).strip();
            return Long.parseLong(text.substring(text.lastIndexOf(' ') + 1));
        } catch (IOException e) {
            if (Files.exists(task)) {
                throw e;
            }
            return 0;
        }
    }

    /** Returns the resident memory of a process in bytes. */
    public static long residentBytes(long pid) {
        return statusBytes(pid, "VmRSS:");
    }

    /** Returns the peak resident memory of a process in bytes. */
    public static long peakResidentBytes(long pid) {
        return statusBytes(pid, "VmHWM:");
    }

    private static long statusBytes(long pid, String word) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
                if (line.startsWith(word)) {
                    return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
                }
            }
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Cpu stat(Path file) {
        try {
            String text = Files.readString(file);
            String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
            return new Cpu(
                    Long.parseLong(fields[UTIME]) * NANOS_PER_TICK, Long.parseLong(fields[STIME]) * NANOS_PER_TICK);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public long totalNanos() {
        return userNanos + systemNanos;
    }

    public Cpu since(Cpu earlier) {
        return new Cpu(userNanos - earlier.userNanos, systemNanos - earlier.systemNanos);
    }
}
