package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import mayfly.kit.Jvm;

/** What of a host an observer can see in a process. */
final class HostTrace {
    private static final long LIMIT_NANOS = 30_000_000_000L;

    private HostTrace() {
    }

    /** Threads, mappings, descriptors and files that are a host's, in lines. */
    static List<String> of(Jvm jvm) throws IOException {
        Path proc = Path.of("/proc", Long.toString(jvm.pid()));
        List<String> found = new ArrayList<>();
        for (Path task : Said.files(proc.resolve("task"))) {
            String comm = read(() -> Files.readString(task.resolve("comm")).strip());
            if (comm.startsWith("Mayfly")) {
                found.add("thread " + comm);
            }
        }
        Files.readAllLines(proc.resolve("maps")).stream().filter(line -> line.contains("mayfly")).forEach(found::add);
        for (Path fd : Said.files(proc.resolve("fd"))) {
            String link = read(() -> Files.readSymbolicLink(fd).toString());
            if (link.contains("mayfly")) {
                found.add("descriptor " + link);
            }
        }
        Said.files(Path.of("/tmp")).stream().map(Path::toString)
                .filter(name -> name.startsWith("/tmp/.mayfly-" + jvm.pid() + "-")).forEach(found::add);
        return found;
    }

    /** Empty if it has gone meanwhile. */
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

    /** Waits until there is nothing; after a failed attach the host leaves in its own time. */
    static void awaitNone(Jvm jvm) throws IOException {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (!of(jvm).isEmpty()) {
            assertThat(System.nanoTime()).as(() -> "still there: " + remaining(jvm)).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static List<String> remaining(Jvm jvm) {
        try {
            return of(jvm);
        } catch (IOException e) {
            return List.of(e.toString());
        }
    }
}
