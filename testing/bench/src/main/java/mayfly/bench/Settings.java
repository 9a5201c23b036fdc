package mayfly.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import mayfly.kit.Jdk;
import mayfly.kit.Project;

/**
 * The measurements to perform.
 *
 * @param sections the tables, by name
 * @param jdks of the targets
 * @param rivals the profilers: mayfly, async-profiler, jfr
 * @param rates for the slowdown, Hz
 * @param pairs of windows for each rival and rate
 * @param samples for each row of the stacks
 * @param seconds for each recording of a fixed length
 * @param cycles of attach and detach, of which the first 200 are not counted
 * @param turns of windows before a cycle, and the same number after it
 * @param runs of the program of each row of starts; the longer programs run a twentieth as often
 * @param live the live heap of the program of detach-pauses, MiB
 * @param out the page to write
 * @param captures the folder in which render keeps its captures; an empty path to keep none
 */
record Settings(
        List<String> sections,
        List<Jdk> jdks,
        List<String> rivals,
        List<Integer> rates,
        int pairs,
        long samples,
        long seconds,
        int cycles,
        int turns,
        int runs,
        int live,
        Path out,
        Path captures) {
    static final List<String> SECTIONS = List.of(
            "slowdown",
            "stacks",
            "stress",
            "accuracy",
            "cost",
            "warm",
            "startup",
            "memory",
            "stops",
            "virtual",
            "off-cpu",
            "lock",
            "alloc",
            "switches",
            "attach",
            "cycles",
            "lasting",
            "attached",
            "attached-classes",
            "probes",
            "probes-code",
            "polling",
            "events",
            "leaf",
            "render-deep",
            "render-million",
            "render-day",
            "starts",
            "detach-pauses",
            "carry");
    static final String USAGE = """
        testing/bench/run [SECTION...] [OPTION...]
          sections: all, %s
          --jdks 17,25       JDKs of the targets (default: one of each installed feature version)
          --rivals LIST      profilers: mayfly, async-profiler, jfr (default: all three)
          --rates LIST       sampling rates of slowdown, in Hz (default: 4999,999,99)
          --pairs N          on/off pairs: in slowdown for each rival and rate, in attached* and switches (default: 60)
          --samples N        samples wanted for each row of stacks and stress (default: 30000)
          --seconds N        length of the recordings of accuracy, cost and leaf (default: 30)
          --cycles N         attaches and detaches in the section cycles (default: 1000)
          --turns N          turns in the section lasting, before and after the attaches (default: 15)
          --captures FOLDER  where render-* stores its captures and reuses existing ones (default: new ones)
          --runs N           runs of each program in the section starts; longer programs a twentieth (default: 200)
          --live N           live heap of the program in detach-pauses, in MiB (default: 2048)
          --out FILE         page to write (default: docs/benchmarks.md)
        """.formatted(String.join(", ", SECTIONS));

    static Settings parse(String... words) {
        List<String> sections = new ArrayList<>();
        List<Jdk> jdks = Jdk.oneOfEach();
        List<String> rivals = List.of("mayfly", "async-profiler", "jfr");
        List<Integer> rates = List.of(4999, 999, 99);
        int pairs = 60;
        long samples = 30_000;
        long seconds = 30;
        int cycles = 1000;
        int turns = 15;
        int live = 2048;
        int runs = 200;
        Path out = Project.root().resolve("docs/benchmarks.md");
        Path captures = Path.of("");
        for (int i = 0; i < words.length; i++) {
            String word = words[i];
            if (!word.startsWith("--")) {
                sections.addAll(word.equals("all") ? SECTIONS : List.of(word));
                continue;
            }
            if (i + 1 == words.length) {
                throw new IllegalArgumentException(word + " needs a value");
            }
            String value = words[++i];
            switch (word) {
                case "--jdks" ->
                    jdks = Stream.of(value.split(","))
                            .map(Integer::valueOf)
                            .map(feature -> Jdk.find(feature)
                                    .orElseThrow(() -> new IllegalArgumentException("no JDK " + feature)))
                            .toList();
                case "--rivals" -> rivals = List.of(value.split(","));
                case "--rates" ->
                    rates = Stream.of(value.split(",")).map(Integer::valueOf).toList();
                case "--pairs" -> pairs = Integer.parseInt(value);
                case "--samples" -> samples = Long.parseLong(value);
                case "--seconds" -> seconds = Long.parseLong(value);
                case "--cycles" -> cycles = Integer.parseInt(value);
                case "--turns" -> turns = Integer.parseInt(value);
                case "--live" -> live = Integer.parseInt(value);
                case "--runs" -> runs = Integer.parseInt(value);
                case "--out" -> out = Path.of(value);
                case "--captures" -> captures = Path.of(value).toAbsolutePath();
                default -> throw new IllegalArgumentException("unknown option " + word);
            }
        }
        if (sections.isEmpty() || !SECTIONS.containsAll(sections)) {
            throw new IllegalArgumentException("sections are all, " + String.join(", ", SECTIONS));
        }
        return new Settings(
                sections, jdks, rivals, rates, pairs, samples, seconds, cycles, turns, runs, live, out, captures);
    }

    Duration recording() {
        return Duration.ofSeconds(seconds);
    }
}
