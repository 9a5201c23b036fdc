package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import mayfly.kit.Deadline;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;

/** Assertions on the target {@code SelfCheckingLoad} after any disturbance. */
final class Steadiness {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(30));

    private Steadiness() {}

    /**
     * Asserts that no thread is stopped or traced, that all of its results are correct, and that all of its work
     * continues.
     */
    static void assertRunsOn(Jvm target, String what) throws IOException {
        assertThat(held(target)).as(what).isEmpty();
        Map<String, Long> before = counts(target, what);
        Map<String, Long> now = before;
        Deadline deadline = Deadline.in(LIMIT);
        while (!standing(before, now).isEmpty()) {
            deadline.check("%s: no progress of %s; all counts: %s", what, standing(before, now), now);
            now = counts(target, what);
        }
    }

    /** Returns the count of each kind of work. */
    static Map<String, Long> counts(Jvm target, String what) {
        String answer = target.ask("counts");
        assertThat(answer).as(what).startsWith("wrong=0 ");
        Map<String, Long> counts = new TreeMap<>();
        for (String word : answer.split(" ")) {
            int equals = word.indexOf('=');
            counts.put(word.substring(0, equals), Long.parseLong(word.substring(equals + 1)));
        }
        counts.remove("wrong");
        return counts;
    }

    private static List<String> standing(Map<String, Long> before, Map<String, Long> now) {
        return before.keySet().stream()
                .filter(name -> now.getOrDefault(name, 0L) <= before.get(name))
                .toList();
    }

    /** Returns the threads that are traced or stopped, each with the lines that show it. */
    static List<String> held(Jvm jvm) throws IOException {
        List<String> held = new ArrayList<>();
        for (Path task : Checks.files(Path.of("/proc/" + jvm.pid() + "/task"))) {
            try {
                List<String> lines = Files.readAllLines(task.resolve("status")).stream()
                        .filter(line -> line.startsWith("State:") || line.startsWith("TracerPid:"))
                        .toList();
                if (!lines.contains("TracerPid:\t0") || lines.getFirst().matches("State:\t[Tt].*")) {
                    held.add(task.getFileName() + " " + lines);
                }
            } catch (NoSuchFileException e) {
                continue; // it has ended
            } catch (IOException e) {
                // ESRCH of a thread that ends at this moment.
                assertThat(e).hasMessageContaining("No such process");
            }
        }
        return held;
    }
}
