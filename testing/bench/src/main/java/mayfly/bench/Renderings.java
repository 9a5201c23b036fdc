package mayfly.bench;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import mayfly.kit.Cpu;
import mayfly.kit.LaunchedMayfly;

/** Large recordings: the memory of the recorder while it writes one, and the resources that each format needs. */
final class Renderings {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);
    private static final List<String> FORMATS = List.of("html", "collapsed", "pprof", "speedscope", "text", "mayfly");
    /** The launcher's options for a recording; the simulated program itself needs slightly more if it is large. */
    private static final List<String> RECORDER =
            List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms24m", "-Xmn8m", "-XX:-UsePerfData");

    private Renderings() {}

    /** A simulated recording, and the heap for it. */
    enum Simulated {
        DEEP(
                "deep stacks",
                new SimulatedRecording.Load(137_244, 295_709, 88, 6_000, 26, 1000),
                96,
                "html within 400 MB, pprof within 3 s of CPU"),
        MILLION(
                "a million stacks",
                new SimulatedRecording.Load(1_000_000, 10_000_000, 88, 20_000, 8, 1000),
                512,
                "each format within 2048 MB"),
        DAY(
                "a day at 99 Hz",
                new SimulatedRecording.Load(200_000, 24L * 3600 * 99 * 8, 60, 12_000, 8, 99),
                96,
                "each format within 2048 MB, and constant memory while recording");

        private final String title;
        private final SimulatedRecording.Load load;
        private final int heap;
        private final String due;

        Simulated(String title, SimulatedRecording.Load load, int heap, String due) {
            this.title = title;
            this.due = due;
            this.load = load;
            this.heap = heap;
        }

        String title() {
            return title;
        }

        int heap() {
            return heap;
        }

        String due() {
            return due;
        }

        String fileName() {
            return name().toLowerCase(Locale.ROOT) + ".mayfly";
        }
    }

    static void measure(Page page, Path folder, Simulated simulated) {
        try {
            Path capture = folder.resolve(simulated.fileName());
            Path said = folder.resolve(simulated.fileName() + ".memory");
            if (!Files.exists(said)) {
                page.progress("recording " + simulated.title);
                record(simulated, capture, said);
            }
            page.row(sizes(simulated, capture), "recording", memory(said), "", "");
            for (String format : FORMATS) {
                page.progress(simulated.title + ", " + format);
                render(page, simulated, capture, format);
            }
        } catch (IOException | InterruptedException e) {
            page.note(simulated.title + ": " + e);
        }
    }

    private static String sizes(Simulated simulated, Path capture) throws IOException {
        return "%,d samples, %,d stacks, %,d MB"
                .formatted(simulated.load.samples(), simulated.load.stacks(), Files.size(capture) >> 20);
    }

    private static void record(Simulated simulated, Path capture, Path said) throws IOException, InterruptedException {
        Files.deleteIfExists(capture);
        var command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(RECORDER);
        command.addAll(List.of(
                "-Xmx" + simulated.heap + "m",
                "-cp",
                System.getProperty("java.class.path"),
                SimulatedRecording.class.getName(),
                capture.toString(),
                simulated.load.argument()));
        Path begun = said.resolveSibling(said.getFileName() + ".begun");
        Process recorder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(begun.toFile())
                .start();
        if (recorder.waitFor() != 0) {
            throw new IOException(Files.readString(begun));
        }
        Files.move(begun, said);
    }

    /** Returns the recorder's output at each quarter. */
    private static String memory(Path said) throws IOException {
        var quarters = Files.readAllLines(said).stream()
                .filter(line -> line.startsWith("resident "))
                .map(line -> Long.toString(Long.parseLong(line.split(" ")[1]) >> 10))
                .toList();
        return String.join(", ", quarters) + " at each quarter";
    }

    private static void render(Page page, Simulated simulated, Path capture, String format) {
        Cpu before = ofChildren();
        Map<Long, Long> most = new HashMap<>();
        long atOnce = 0;
        try (LaunchedMayfly mayfly = LaunchedMayfly.start(
                "convert", "-q", "--format", format, capture.toString(), new File("/dev/null").toString())) {
            while (mayfly.process().isAlive()) {
                atOnce = Math.max(atOnce, look(mayfly.process().toHandle(), most));
                Windows.rest(BETWEEN_LOOKS);
            }
            int code = mayfly.process().exitValue();
            if (code != 0) {
                page.note(simulated.title + ", " + format + ": ended with " + code + ": " + mayfly.stderr());
                return;
            }
        }
        Cpu after = ofChildren();
        double cpu = (after.userNanos() + after.systemNanos() - before.userNanos() - before.systemNanos()) / 1e9;
        page.row(
                "",
                format,
                Long.toString(atOnce >> 20),
                Long.toString(most.values().stream().mapToLong(Long::longValue).sum() >> 20),
                "%.1f".formatted(cpu));
    }

    /** Returns the resident memory of a process and its children; updates the maximum of each. */
    private static long look(ProcessHandle process, Map<Long, Long> most) {
        long sum = 0;
        for (ProcessHandle one :
                Stream.concat(Stream.of(process), process.descendants()).toList()) {
            try {
                sum += Cpu.residentBytes(one.pid());
                most.merge(one.pid(), Cpu.peakResidentBytes(one.pid()), Math::max);
            } catch (UncheckedIOException e) {
                continue; // it has ended
            }
        }
        return sum;
    }

    /**
     * Returns the CPU time of all awaited children of this process, and of theirs: fields 16 and 17 of
     * proc_pid_stat(5).
     */
    private static Cpu ofChildren() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            long tick = 10_000_000;
            return new Cpu(Long.parseLong(fields[13]) * tick, Long.parseLong(fields[14]) * tick);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
