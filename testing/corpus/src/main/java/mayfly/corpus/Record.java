package mayfly.corpus;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.kit.Jvm;
import mayfly.kit.Project;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessUnavailable;
import mayfly.linux.trace.ThreadSnapshot;
import mayfly.linux.trace.ThreadStopper;
import mayfly.process.TargetThread;
import mayfly.process.replay.BadSnapshot;
import mayfly.process.replay.ProcessSnapshot;
import mayfly.process.replay.RecordedProcess;
import mayfly.process.replay.SnapshotFormat;
import mayfly.profile.Frame;
import org.jspecify.annotations.Nullable;

/** The command {@code testing/corpus/record}. */
public final class Record {
    private static final String HELP = """
        testing/corpus/record corpus [NAME]     record the corpus again, or the folders whose names contain NAME
        testing/corpus/record python [PYTHON]   record a Python program; PYTHON is /usr/bin/python3 by default
        testing/corpus/record broken PID SECONDS COUNT FOLDER
                                                record the first COUNT broken walks of a running JVM
        testing/corpus/record show FOLDER       replay the walks in a folder and print them
        """;
    private static final int SECONDS = 10;
    private static final int STACK_BYTES = 512 << 10;
    private static final int MAX_CASES = 20;
    /** Upper bound on the cases of one feature in all folders of one JDK. */
    private static final int MAX_ALIKE = 1;
    /** Upper bound on the size of a snapshot with its base, in bytes. */
    private static final int MAX_BYTES = 600_000;

    private final PrintStream out;
    private final Map<String, Integer> recorded = new HashMap<>();

    private Record(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws IOException, UnsupportedVm, ProcessUnavailable {
        Record record = new Record(System.out);
        if (args.length >= 1 && args[0].equals("corpus")) {
            record.corpus(args.length > 1 ? args[1] : "");
        } else if (args.length >= 1 && args[0].equals("python")) {
            record.python(args.length > 1 ? args[1] : "/usr/bin/python3");
        } else if (args.length == 5 && args[0].equals("broken")) {
            record.broken(
                    Integer.parseInt(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]), Path.of(args[4]));
        } else if (args.length == 2 && args[0].equals("show")) {
            record.show(Path.of(args[1]));
        } else {
            System.out.print(HELP);
        }
    }

    static Path recordings() {
        return Project.root().resolve("testing/corpus/recordings");
    }

    private void show(Path folder) throws IOException, UnsupportedVm {
        for (Case one : Case.in(folder)) {
            try {
                RecordedProcess process = one.open();
                out.println(one);
                Replay.of(process).lines(process.snapshot()).forEach(line -> out.println("  " + line));
            } catch (BadSnapshot e) {
                out.println(one + " cannot be read: " + e.getMessage());
            }
        }
    }

    private void corpus(String name) throws IOException, UnsupportedVm, ProcessUnavailable {
        for (RecordedTarget target : RecordedTarget.all()) {
            if (target.name().contains(name)) {
                try (Jvm jvm = target.plan().start();
                        LiveProcess process = LiveProcess.open((int) jvm.pid())) {
                    features(target, process);
                }
            }
        }
    }

    private void python(String executable) throws IOException, UnsupportedVm, ProcessUnavailable {
        Map<String, WalkRecorder.Recorded> cases = new TreeMap<>();
        try (PythonProgram program = PythonProgram.start(executable);
                LiveProcess process = LiveProcess.open(program.pid());
                ThreadStopper stopper = new ThreadStopper(process)) {
            WalkRecorder recorder = new WalkRecorder(process);
            ThreadSnapshot snapshot = new ThreadSnapshot(STACK_BYTES);
            for (PythonProgram.Stack stack : program.stacks()) {
                ThreadStopper.Outcome copied = stopper.stopAndCopy(stack.tid(), STACK_BYTES, snapshot);
                TargetThread thread = process.thread(stack.tid());
                if (snapshot.stackWords() == 0 || thread == null) {
                    throw new IOException("thread " + stack.name() + " was not copied: " + copied);
                }
                cases.put(stack.name(), recorder.record(thread, Sample.of(stack.tid(), snapshot)));
            }
            Path folder = recordings().resolve("python-" + recorder.version() + "-mixed");
            write(folder, cases);
            for (PythonProgram.Stack stack : program.stacks()) {
                new Case(folder, stack.name()).oracle(stack.frames());
            }
        }
    }

    private void features(RecordedTarget target, LiveProcess process) throws IOException, UnsupportedVm {
        WalkRecorder recorder = new WalkRecorder(process);
        String name = target.name();
        // Targets for special features count their cases separately from the other targets of the JDK.
        String jdk = target.takesAll() ? name.substring(0, name.indexOf('-')) : name;
        Map<String, WalkRecorder.Recorded> cases = new TreeMap<>();
        Sampling.byPtrace(process, SECONDS, recorder::newEpoch, at -> {
            Walked walked = recorder.walk(at);
            TargetThread thread = process.thread(at.tid());
            if (walked.outcome().isBroken() || thread == null) {
                return true;
            }
            String wanted = wanted(target, jdk, thread, at, walked, recorder, process);
            if (wanted != null && cases.size() < MAX_CASES) {
                WalkRecorder.Recorded found = tryRecord(recorder, thread, at, walked);
                if (found != null) {
                    cases.put(wanted, found);
                    recorded.merge(jdk + wanted, 1, Integer::sum);
                }
            }
            return cases.size() < MAX_CASES;
        });
        write(recordings().resolve(name), cases);
    }

    private @Nullable String wanted(
            RecordedTarget target,
            String jdk,
            TargetThread thread,
            Sample at,
            Walked walked,
            WalkRecorder recorder,
            LiveProcess process) {
        for (String feature : Features.of(
                thread, walked.frames(), recorder::symbol, at.registers().pc(), process.memory())) {
            if (target.wanted().matcher(feature).matches() && recorded.getOrDefault(jdk + feature, 0) < MAX_ALIKE) {
                return feature;
            }
        }
        return null;
    }

    /** Returns the recorded walk, or null if it differs from the first walk, is too large, or cannot be recorded. */
    private WalkRecorder.@Nullable Recorded tryRecord(
            WalkRecorder recorder, TargetThread thread, Sample at, Walked walked) {
        try {
            WalkRecorder.Recorded found = recorder.record(thread, at);
            if (!found.walked().equals(walked)) {
                out.println("  the second walk differs: " + walked.outcome() + ", "
                        + found.walked().outcome());
                return null;
            }
            return SnapshotFormat.write(found.snapshot()).length > MAX_BYTES ? null : found;
        } catch (IOException | UnsupportedVm e) {
            out.println("  " + e.getMessage());
            return null;
        }
    }

    private void broken(int pid, int seconds, int count, Path folder)
            throws IOException, UnsupportedVm, ProcessUnavailable {
        Map<String, WalkRecorder.Recorded> cases = new TreeMap<>();
        int[] walks = new int[2];
        try (LiveProcess process = LiveProcess.open(pid)) {
            WalkRecorder recorder = new WalkRecorder(process);
            long[] resumed = new long[1];
            Sampling.byPerf(process, seconds, recorder::newEpoch, at -> {
                if (at.time() < resumed[0]) {
                    return true; // a sample that waited while a walk was recorded is too old
                }
                long age = System.nanoTime() - at.time();
                Walked walked = recorder.walk(at);
                walks[0]++;
                TargetThread thread = walked.outcome().isBroken() ? process.thread(at.tid()) : null;
                if (thread != null) {
                    walks[1]++;
                    try {
                        WalkRecorder.Recorded found = recorder.record(thread, at);
                        cases.put(
                                "%02d-%s"
                                        .formatted(
                                                cases.size(), walked.outcome().id()),
                                found);
                        out.println(describe(walked, found.walked(), at, age));
                    } catch (IOException e) {
                        out.println(describe(walked, walked, at, age) + ", not recorded: " + e.getMessage());
                    }
                    resumed[0] = System.nanoTime();
                }
                return cases.size() < count;
            });
        }
        out.println(walks[0] + " walks, " + walks[1] + " broken");
        write(folder, cases);
    }

    private static String describe(Walked walked, Walked again, Sample at, long age) {
        List<Frame> frames = walked.frames();
        return "%s (recorded: %s) after %d frames%s, pc 0x%x, %d ms ago"
                .formatted(
                        walked.outcome().id(),
                        again.outcome().id(),
                        frames.size(),
                        frames.isEmpty() ? "" : ", the last " + frames.getLast().label(),
                        at.registers().pc(),
                        age / 1_000_000);
    }

    private void write(Path folder, Map<String, WalkRecorder.Recorded> cases) throws IOException {
        if (cases.isEmpty()) {
            return;
        }
        Files.createDirectories(folder);
        clear(folder);
        ProcessSnapshot base = ProcessSnapshot.common(
                cases.values().stream().map(WalkRecorder.Recorded::snapshot).toList());
        byte[] common = SnapshotFormat.write(base);
        Files.write(folder.resolve(Case.BASE), common);
        long total = common.length;
        for (Map.Entry<String, WalkRecorder.Recorded> found : cases.entrySet()) {
            Case one = new Case(folder, found.getKey());
            byte[] own = SnapshotFormat.write(found.getValue().snapshot().over(base));
            one.write(own);
            one.expect(found.getValue().walked().lines(found.getValue().snapshot()));
            total += own.length;
            out.println("  " + one + ": " + own.length + " bytes, "
                    + found.getValue().walked().frames().size() + " frames");
        }
        out.println(folder + ": " + cases.size() + " cases, base " + common.length + ", " + total + " bytes");
    }

    private static void clear(Path folder) throws IOException {
        List<Path> old = new ArrayList<>();
        Set<String> ours = new HashSet<>(Set.of("rec", "txt", "oracle"));
        try (var files = Files.list(folder)) {
            files.filter(file -> ours.contains(file.toString().replaceAll(".*\\.", "")))
                    .forEach(old::add);
        }
        for (Path file : old) {
            Files.delete(file);
        }
    }
}
