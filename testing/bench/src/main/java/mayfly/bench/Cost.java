package mayfly.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mayfly.kit.Cpu;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;

/**
 * The resource use of Mayfly's own process: CPU by thread, and resident memory over time. The rivals run inside the
 * target, so this table covers Mayfly alone; the slowdown includes their cost.
 */
final class Cost {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

    private Cost() {}

    static void measure(Page page, Path folder, Jdk jdk, Stacks.Load load, int hz, Duration duration) {
        try (Jvm jvm = load.plan().start()) {
            page.progress("cost: " + jdk + ", " + load.name() + ", " + hz + " Hz, " + duration.toSeconds() + " s");
            Path file = folder.resolve("cost.collapsed");
            Watch watch = new Watch();
            try (LaunchedMayfly mayfly = LaunchedMayfly.start(
                    "record",
                    "-d",
                    duration.toSeconds() + "s",
                    "-F",
                    Integer.toString(hz),
                    "-o",
                    file.toString(),
                    "--json",
                    Long.toString(jvm.pid()))) {
                while (mayfly.process().isAlive()) {
                    watch.look(mayfly.process().toHandle());
                    Windows.rest(BETWEEN_LOOKS);
                }
                int code = mayfly.process().exitValue();
                if (code != 0) {
                    page.note(jdk + ", " + load.name() + ": mayfly ended with " + code + ": " + mayfly.stderr());
                    return;
                }
                long samples = Mayfly.numbers(mayfly.stdout()).getOrDefault("samples", 0L);
                page.row(
                        jdk.feature(),
                        load.name(),
                        hz,
                        duration.toSeconds(),
                        samples,
                        "%.2f".formatted(watch.cpuNanos() / 1e9),
                        "%.1f".formatted(watch.cpuNanos() / 1e3 / samples),
                        watch.threads(samples),
                        watch.memory());
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            page.note(jdk + ", " + load.name() + ": " + e);
        }
    }

    /** The observed figures of a process and its children. */
    private static final class Watch {
        private final long began = System.nanoTime();
        private final Map<String, Long> nanosByThread = new HashMap<>();
        private final List<long[]> resident = new ArrayList<>();

        void look(ProcessHandle process) {
            List<ProcessHandle> all =
                    Stream.concat(Stream.of(process), process.descendants()).toList();
            long bytes = 0;
            for (ProcessHandle one : all) {
                try {
                    bytes += Cpu.residentBytes(one.pid());
                    addThreads(one.pid());
                } catch (UncheckedIOException e) {
                    // The process ended between the listing and the look.
                    continue;
                }
            }
            resident.add(new long[] {System.nanoTime() - began, bytes});
        }

        private void addThreads(long pid) {
            Cpu.ofThreads(pid).keySet().forEach(tid -> {
                try {
                    String name = Files.readString(Path.of("/proc/" + pid + "/task/" + tid + "/comm"))
                            .strip();
                    nanosByThread.merge(tid + " " + name, Cpu.schedNanos(pid, tid), Math::max);
                } catch (IOException | UncheckedIOException e) {
                    // The thread ended between the listing and the look; its last figure is kept.
                }
            });
        }

        long cpuNanos() {
            return nanosByThread.values().stream().mapToLong(Long::longValue).sum();
        }

        /** Returns the busiest threads, in microseconds of CPU for each sample. */
        String threads(long samples) {
            return nanosByThread.entrySet().stream()
                    .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                    .limit(4)
                    .map(e -> "%s %.1f"
                            .formatted(
                                    e.getKey().substring(e.getKey().indexOf(' ') + 1),
                                    e.getValue() / 1e3 / Math.max(1, samples)))
                    .collect(Collectors.joining(", "));
        }

        /** Returns resident MB at a quarter, a half, three quarters and the end, and the maximum. */
        String memory() {
            if (resident.isEmpty()) {
                return "";
            }
            long most = resident.stream().mapToLong(at -> at[1]).max().orElse(0);
            String parts = Stream.of(0.25, 0.5, 0.75, 0.97)
                    .map(part -> resident.get((int) (part * (resident.size() - 1))))
                    .map(at -> "%d MB at %d s".formatted(at[1] >> 20, at[0] / 1_000_000_000))
                    .collect(Collectors.joining(", "));
            return parts + ", most " + (most >> 20) + " MB";
        }
    }
}
