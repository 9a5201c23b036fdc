package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.kit.Command;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;

/**
 * The stops of a target's threads during one command of Mayfly, from the kernel calls of the command as strace reports
 * them. A stop begins with PTRACE_INTERRUPT and ends with PTRACE_DETACH.
 *
 * @param tracers the threads of Mayfly that have called ptrace(2)
 * @param readers the threads of Mayfly that have read the memory of the target
 * @param stops the stops that have ended
 * @param mostAtATime the largest number of threads that were stopped at one time
 * @param reads the number of reads of the target's memory, also outside of stops
 */
record TracedStops(Set<String> tracers, Set<String> readers, List<Stop> stops, int mostAtATime, long reads) {
    private static final Path STRACE = Path.of("/usr/bin/strace");
    private static final Duration LIMIT = Patience.of(Duration.ofMinutes(2));
    private static final Pattern LINE =
            Pattern.compile("(\\d+) +(<\\.\\.\\. \\w+ resumed>)?(.*?)( <unfinished \\.\\.\\.>)?");
    private static final Pattern REQUEST = Pattern.compile("ptrace\\(PTRACE_(\\w+), (\\d+).*");

    /**
     * One stop.
     *
     * @param tid the stopped thread
     * @param calls the calls of the tracing thread during the stop, with their arguments
     */
    record Stop(int tid, List<String> calls) {

        /** Returns the calls after the one by which the tracing thread learned that the thread has stopped. */
        List<String> afterItsReport() {
            int report = 0;
            while (report < calls.size() && !calls.get(report).contains("si_code=CLD_TRAPPED")) {
                report++;
            }
            return calls.subList(Math.min(report + 1, calls.size()), calls.size());
        }

        /** Returns the names of the calls. */
        static List<String> names(List<String> calls) {
            return calls.stream()
                    .map(call -> call.substring(0, call.indexOf('(')))
                    .toList();
        }
    }

    /** Runs a command under strace. */
    static TracedStops of(Path folder, String... command) throws Exception {
        assumeTrue(Files.isExecutable(STRACE), "no strace");
        Path log = folder.resolve("calls");
        Command done = LaunchedMayfly.runUnder(
                List.of(STRACE.toString(), "-f", "-qq", "-o", log.toString()), LIMIT, folder, command);
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        TracedStops stops = parse(Files.readAllLines(log));
        assertThat(stops.stops).as(done.evidence()).isNotEmpty();
        return stops;
    }

    private static TracedStops parse(List<String> lines) {
        Set<String> tracers = new TreeSet<>();
        Set<String> readers = new TreeSet<>();
        List<Stop> stops = new ArrayList<>();
        Map<Integer, Stop> open = new HashMap<>();
        Map<String, String> unfinished = new HashMap<>();
        int most = 0;
        long reads = 0;
        for (String line : lines) {
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                continue;
            }
            String thread = matcher.group(1);
            String call = (matcher.group(2) == null ? "" : unfinished.remove(thread)) + matcher.group(3);
            if (matcher.group(4) != null) {
                unfinished.put(thread, call);
                continue;
            }
            Matcher request = REQUEST.matcher(call);
            if (call.startsWith("process_vm_readv(")) {
                readers.add(thread);
                reads++;
            }
            if (!request.matches()) {
                if (tracers.contains(thread) && call.indexOf('(') > 0) {
                    open.values().forEach(stop -> stop.calls.add(call));
                }
                continue;
            }
            int tid = Integer.parseInt(request.group(2));
            tracers.add(thread);
            if (request.group(1).equals("DETACH")) {
                Stop ended = open.remove(tid);
                if (ended != null) {
                    stops.add(ended);
                }
            }
            open.values().forEach(stop -> stop.calls.add(call));
            if (request.group(1).equals("INTERRUPT") && call.endsWith("= 0")) {
                open.put(tid, new Stop(tid, new ArrayList<>()));
                most = Math.max(most, open.size());
            }
        }
        return new TracedStops(tracers, readers, List.copyOf(stops), most, reads);
    }
}
