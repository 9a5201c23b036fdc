package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import mayfly.discovery.LibraryDirectory;
import mayfly.kit.Deadline;
import mayfly.kit.Jvm;

/** The parts of a host that an observer can see in a process. */
final class HostTrace {
    /**
     * Matches the names of a host's mapped or open files. It does not match those of the program, which may be in a
     * checkout folder called mayfly.
     */
    private static final Pattern OURS = Pattern.compile("/memfd:mayfly-|/\\.mayfly-|/mayfly-launch-|/libmayfly");

    private static final Duration LIMIT = Duration.ofSeconds(30);
    /** A look reads the arguments of all processes of the machine. */
    private static final long BETWEEN_LOOKS_NANOS = 20_000_000;

    private HostTrace() {}

    /** Returns the threads, mappings, descriptors and files of a host, one per line. */
    static List<String> of(Jvm jvm) throws IOException {
        return of(jvm.pid());
    }

    static List<String> of(long pid) throws IOException {
        Path proc = Path.of("/proc", Long.toString(pid));
        List<String> found = new ArrayList<>();
        for (Path task : Checks.files(proc.resolve("task"))) {
            String comm = read(() -> Files.readString(task.resolve("comm")).strip());
            if (comm.startsWith("Mayfly")) {
                found.add("thread " + comm);
            }
        }
        Files.readAllLines(proc.resolve("maps")).stream()
                .filter(line -> OURS.matcher(line).find())
                .forEach(found::add);
        for (Path fd : Checks.files(proc.resolve("fd"))) {
            String link = read(() -> Files.readSymbolicLink(fd).toString());
            if (OURS.matcher(link).find()) {
                found.add("descriptor " + link);
            }
        }
        String inner = innermost(proc);
        Instant started = ProcessHandle.of(pid)
                .flatMap(process -> process.info().startInstant())
                .orElse(Instant.EPOCH);
        found.addAll(files(proc.resolve("root/tmp"), inner, started.minusSeconds(1)));
        cleanupProcesses(pid).forEach(shell -> found.add("cleanup process " + shell));
        return found;
    }

    /**
     * Returns the names of Mayfly's files for a process of this id, without the files of an earlier killed process of
     * the same id.
     */
    static List<String> files(Path tmp, String pid, Instant since) throws IOException {
        List<String> found = new ArrayList<>();
        String libraryDirectory = LibraryDirectory.prefix(Integer.parseInt(pid)) + "[0-9a-f]{8}";
        for (Path path : Checks.files(tmp)) {
            String name = path.getFileName().toString();
            boolean isSocketDirectory = name.startsWith(".mayfly-" + pid + "-");
            if ((isSocketDirectory || name.equals(".attach_pid" + pid) || name.matches(libraryDirectory))
                    && !read(() -> Files.getLastModifiedTime(path).toInstant().isBefore(since) ? "" : name)
                            .isEmpty()) {
                found.add(name);
            }
        }
        return found;
    }

    /** Returns the process id in the innermost pid namespace. */
    private static String innermost(Path proc) throws IOException {
        return Files.readAllLines(proc.resolve("status")).stream()
                .filter(line -> line.startsWith("NSpid:"))
                .findFirst()
                .map(line -> line.replaceFirst(".*\\s", ""))
                .orElseThrow();
    }

    /** Shells that wait to remove Mayfly's files, see CleanupProcess. */
    static List<Long> cleanupProcesses(long pid) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .arguments()
                        .map(Arrays::asList)
                        .filter(words -> words.contains("mayfly-cleanup") && words.contains(Long.toString(pid)))
                        .isPresent())
                .map(ProcessHandle::pid)
                .toList();
    }

    /** Returns an empty text if the file no longer exists. */
    private static String read(Read read) throws IOException {
        try {
            return read.read();
        } catch (NoSuchFileException e) {
            return "";
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).contains("No such process")) {
                return "";
            }
            throw e;
        }
    }

    private interface Read {
        String read() throws IOException;
    }

    /**
     * Lets {@code ThreadAndClassChurn} collect garbage until nothing of the host remains. The host's own next
     * collection may be minutes away: it waits for 100 times as long as the last one took, which is long on a busy
     * machine.
     */
    static void collectUntilNone(Jvm jvm) throws IOException {
        collectUntil(jvm, List::isEmpty);
    }

    /** As {@link #collectUntilNone}; the library of a JVM's command line stays. */
    static void collectUntilOnlyLaunch(Jvm jvm) throws IOException {
        collectUntil(jvm, HostTrace::isOnlyLaunch);
    }

    private static void collectUntil(Jvm jvm, Predicate<List<String>> end) throws IOException {
        Deadline deadline = Deadline.in(LIMIT);
        for (List<String> left = of(jvm); !end.test(left); left = of(jvm)) {
            assertThat(jvm.ask("unload")).isEqualTo("collected");
            deadline.check("still there: %s", left);
        }
    }

    private static boolean isOnlyLaunch(List<String> left) {
        return left.stream().allMatch(line -> line.contains("/libmayflylaunch.so"));
    }

    /** Waits until nothing remains; after a failed attach the host unloads itself asynchronously. */
    static void awaitNone(Jvm jvm) throws IOException {
        awaitNone(jvm.pid());
    }

    /** Waits until only the library of a JVM's command line is left, which the JVM never unloads. */
    static void awaitOnlyLaunch(Jvm jvm) throws IOException {
        Deadline deadline = Deadline.in(LIMIT);
        for (List<String> left = of(jvm); !isOnlyLaunch(left); left = of(jvm)) {
            deadline.check("still there: %s", left);
            LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
        }
    }

    static void awaitNone(long pid) throws IOException {
        Deadline deadline = Deadline.in(LIMIT);
        for (List<String> left = of(pid); !left.isEmpty(); left = of(pid)) {
            deadline.check("still there: %s", left);
            LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
        }
    }
}
