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
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The target is the same before, during and after a recording. */
class NoTraceTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));

    private static final int SAME_LOOKS = 20;
    private static final long BETWEEN_LOOKS_NANOS = 20_000_000;

    record Case(Jdk jdk, String collector) {
        @Override
        public String toString() {
            return collector + " on " + jdk;
        }
    }

    static List<Case> cases() {
        return Scale.jdks().stream()
                .flatMap(jdk ->
                        Stream.of("system-wide", "per-thread", "ptrace").map(collector -> new Case(jdk, collector)))
                .toList();
    }

    /** The state of a process that an observer can see without its cooperation. */
    private record Seen(
            Map<String, String> threads,
            Map<String, String> descriptors,
            List<String> mappings,
            List<String> files,
            String tracer,
            String output) {
        static Seen of(Jvm jvm, Path folder) throws IOException {
            Path proc = Path.of("/proc", Long.toString(jvm.pid()));
            Map<String, String> threads = new TreeMap<>();
            for (Path task : Checks.files(proc.resolve("task"))) {
                threads.put(
                        task.getFileName().toString(),
                        Files.readString(task.resolve("comm")).strip());
            }
            Map<String, String> descriptors = new TreeMap<>();
            for (Path link : Checks.files(proc.resolve("fd"))) {
                descriptors.put(link.getFileName().toString(), link(link));
            }
            String tracer = Files.readAllLines(proc.resolve("status")).stream()
                    .filter(line -> line.startsWith("TracerPid:"))
                    .findFirst()
                    .orElseThrow();
            // The digits of the process id also occur inside the random numbers of other tests' folders.
            Pattern named = Pattern.compile("(?<!\\d)" + jvm.pid() + "(?!\\d)");
            List<String> files = Stream.concat(
                            Checks.files(folder).stream(),
                            Checks.files(Path.of("/tmp")).stream()
                                    .filter(file -> named.matcher(
                                                    file.getFileName().toString())
                                            .find()))
                    .map(Path::toString)
                    .toList();
            return new Seen(
                    threads,
                    descriptors,
                    merged(Files.readAllLines(proc.resolve("maps"))),
                    files,
                    tracer,
                    jvm.stdout() + jvm.stderr());
        }

        /** Returns the differences, one per line. */
        List<String> differences(Seen before) {
            List<String> now = lines();
            List<String> then = before.lines();
            return Stream.concat(
                            then.stream().filter(line -> !now.contains(line)).map(line -> "- " + line),
                            now.stream().filter(line -> !then.contains(line)).map(line -> "+ " + line))
                    .toList();
        }

        private List<String> lines() {
            return Stream.of(
                            threads.entrySet().stream().map(entry -> "thread " + entry),
                            descriptors.entrySet().stream().map(entry -> "descriptor " + entry),
                            mappings.stream(),
                            files.stream(),
                            Stream.of(tracer, output))
                    .flatMap(stream -> stream.map(Object::toString))
                    .toList();
        }

        /**
         * Merges adjacent anonymous memory into one line, whatever its protection: the allocator itself decides how
         * much of its reserved memory it uses.
         */
        private static List<String> merged(List<String> maps) {
            List<String> merged = new ArrayList<>();
            String start = "";
            String end = "";
            for (String line : maps) {
                String[] fields = line.split(" +");
                String[] range = fields[0].split("-");
                boolean data = fields.length == 5 && fields[1].charAt(2) == '-';
                if (!start.isEmpty() && (!data || !range[0].equals(end))) {
                    merged.add(start + "-" + end + " anonymous");
                    start = "";
                }
                if (!data) {
                    merged.add(line);
                } else {
                    start = start.isEmpty() ? range[0] : start;
                    end = range[1];
                }
            }
            return List.copyOf(merged);
        }

        private static String link(Path link) throws IOException {
            try {
                return Files.readSymbolicLink(link).toString();
            } catch (NoSuchFileException e) {
                return "closed meanwhile";
            }
        }
    }

    /** Waits until nothing changes any more, because a VM continues some of its own work after its start. */
    private static Seen settled(Jvm jvm, Path folder) throws IOException {
        Seen seen = Seen.of(jvm, folder);
        for (int same = 0; same < SAME_LOOKS; same++) {
            LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
            Seen again = Seen.of(jvm, folder);
            if (!again.equals(seen)) {
                seen = again;
                same = -1;
            }
        }
        return seen;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void recordLeavesAnIdleTargetUnchanged(Case how, @TempDir Path folder, @TempDir Path outputs) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(how.jdk()).in(folder).start()) {
            Seen before = settled(jvm, folder);
            assertThat(before.tracer()).isEqualTo("TracerPid:\t0");
            Seen during;
            try (LaunchedMayfly mayfly = LaunchedMayfly.start(
                    "record",
                    "--collector",
                    how.collector(),
                    "-F",
                    "999",
                    "-d",
                    "1m",
                    "-o",
                    outputs.resolve("out.html").toString(),
                    Long.toString(jvm.pid()))) {
                mayfly.awaitStderr("sampling process", LIMIT);
                during = Seen.of(jvm, folder);
                assertThat(mayfly.terminate()).as(mayfly.stderr()).isZero();
            }
            Seen after = Seen.of(jvm, folder);
            assertThat(after.differences(before)).isEmpty();
            assertThat(during.differences(before)).isEmpty();
            assertThat(jvm.ask("still there?")).isEqualTo("still there?");
            assertThat(jvm.exit()).isZero();
        }
    }

    /** Busy threads are really stopped by ptrace; mappings may change through the program itself. */
    @ParameterizedTest
    @ValueSource(strings = {"system-wide", "per-thread", "ptrace"})
    void recordLeavesThreadsAndDescriptorsOfABusyTargetUnchanged(
            String collector, @TempDir Path folder, @TempDir Path outputs) throws Exception {
        try (Jvm jvm = Jvm.run("Busy").args("2").with("-Xint").in(folder).start()) {
            Seen before = settled(jvm, folder);
            try (LaunchedMayfly mayfly = LaunchedMayfly.start(
                    "record",
                    "--collector",
                    collector,
                    "-d",
                    "1s",
                    "-o",
                    outputs.resolve("out.html").toString(),
                    Long.toString(jvm.pid()))) {
                assertThat(mayfly.process().onExit().join().exitValue())
                        .as(mayfly.stderr())
                        .isZero();
            }
            Seen after = Seen.of(jvm, folder);
            assertThat(after.threads()).isEqualTo(before.threads());
            assertThat(after.descriptors()).isEqualTo(before.descriptors());
            assertThat(after.files()).isEqualTo(before.files());
            assertThat(after.tracer()).isEqualTo("TracerPid:\t0");
            assertThat(after.output()).isEqualTo(before.output());
            assertThat(Long.parseLong(jvm.ask("cpu"))).isPositive();
        }
    }
}
