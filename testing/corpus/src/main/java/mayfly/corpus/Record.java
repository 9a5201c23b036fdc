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
import mayfly.hotspot.UnsupportedVm;
import mayfly.kit.Jvm;
import mayfly.kit.Project;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessUnavailable;
import mayfly.linux.ThreadSnapshot;
import mayfly.process.BadRecording;
import mayfly.process.ProcessRecording;
import mayfly.process.RecordedProcess;
import mayfly.process.RecordingFormat;
import mayfly.process.TargetThread;
import org.jspecify.annotations.Nullable;

/** The command {@code testing/corpus/record}. */
public final class Record {
    private static final String HELP = """
            testing/corpus/record corpus [NAME]     record the corpus anew, or the folders whose names contain NAME
            testing/corpus/record broken PID SECONDS COUNT FOLDER
                                                    record the first COUNT broken walks of a running JVM
            testing/corpus/record show FOLDER       replay the walks in a folder and print them
            """;
    private static final int SECONDS = 10;
    private static final int MOST_CASES = 20;
    /** Cases of one feature in all folders of one JDK. */
    private static final int MOST_ALIKE = 1;
    /** Of a recording with all it needs. */
    private static final int MOST_BYTES = 600_000;

    private final PrintStream out;
    private final Map<String, Integer> recorded = new HashMap<>();

    private Record(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws IOException, UnsupportedVm, ProcessUnavailable {
        Record record = new Record(System.out);
        if (args.length >= 1 && args[0].equals("corpus")) {
            record.corpus(args.length > 1 ? args[1] : "");
        } else if (args.length == 5 && args[0].equals("broken")) {
            record.broken(Integer.parseInt(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]),
                    Path.of(args[4]));
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
                Replay.of(process).lines(process.recording()).forEach(line -> out.println("  " + line));
            } catch (BadRecording e) {
                out.println(one + " cannot be read: " + e.getMessage());
            }
        }
    }

    private void corpus(String name) throws IOException, UnsupportedVm, ProcessUnavailable {
        for (Targets target : Targets.all()) {
            if (target.name().contains(name)) {
                try (Jvm jvm = target.plan().start(); LiveProcess process = LiveProcess.open((int) jvm.pid())) {
                    features(target.name(), process);
                }
            }
        }
    }

    private void features(String name, LiveProcess process) throws IOException, UnsupportedVm {
        WalkRecorder recorder = new WalkRecorder(process);
        String jdk = name.substring(0, name.indexOf('-'));
        Map<String, WalkRecorder.Recorded> cases = new TreeMap<>();
        Sampling.run(process, SECONDS, (thread, at) -> {
            Walked walked = recorder.walk(at);
            if (walked.outcome().isBroken()) {
                return true;
            }
            String wanted = wanted(jdk, thread, at, walked, recorder, process);
            if (wanted != null && cases.size() < MOST_CASES) {
                WalkRecorder.Recorded found = tryRecord(recorder, thread, at, walked);
                if (found != null) {
                    cases.put(wanted, found);
                    recorded.merge(jdk + wanted, 1, Integer::sum);
                }
            }
            return cases.size() < MOST_CASES;
        });
        write(recordings().resolve(name), cases);
    }

    private @Nullable String wanted(String jdk, TargetThread thread, ThreadSnapshot at,
            Walked walked, WalkRecorder recorder, LiveProcess process) {
        for (String feature : Features.of(thread, walked.frames(), recorder::symbol, at.registers().pc(),
                process.memory())) {
            if (recorded.getOrDefault(jdk + feature, 0) < MOST_ALIKE) {
                return feature;
            }
        }
        return null;
    }

    /** Null if the process has moved on so that the walk cannot be made again. */
    private WalkRecorder.@Nullable Recorded tryRecord(WalkRecorder recorder,
            TargetThread thread, ThreadSnapshot at, Walked walked) {
        try {
            WalkRecorder.Recorded found = recorder.record(thread, at);
            if (!found.walked().equals(walked)) {
                out.println("  the second walk differs: " + walked.outcome() + ", " + found.walked().outcome());
                return null;
            }
            return RecordingFormat.write(found.recording()).length > MOST_BYTES ? null : found;
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
            Sampling.run(process, seconds, (thread, at) -> {
                Walked walked = recorder.walk(at);
                walks[0]++;
                if (walked.outcome().isBroken()) {
                    walks[1]++;
                    try {
                        WalkRecorder.Recorded found = recorder.record(thread, at);
                        cases.put("%02d-%s".formatted(cases.size(), walked.outcome().id()), found);
                        out.println(walked.outcome().id() + " (recorded: " + found.walked().outcome().id() + ") after "
                                + walked.frames().size() + " frames, pc 0x" + Long.toHexString(at.registers().pc()));
                    } catch (IOException e) {
                        out.println(walked.outcome().id() + " not recorded: " + e.getMessage());
                    }
                }
                return cases.size() < count;
            });
        }
        out.println(walks[0] + " walks, " + walks[1] + " broken");
        write(folder, cases);
    }

    private void write(Path folder, Map<String, WalkRecorder.Recorded> cases) throws IOException {
        if (cases.isEmpty()) {
            return;
        }
        Files.createDirectories(folder);
        clear(folder);
        ProcessRecording base = ProcessRecording.common(
                cases.values().stream().map(WalkRecorder.Recorded::recording).toList());
        byte[] common = RecordingFormat.write(base);
        Files.write(folder.resolve(Case.BASE), common);
        long total = common.length;
        for (Map.Entry<String, WalkRecorder.Recorded> found : cases.entrySet()) {
            Case one = new Case(folder, found.getKey());
            byte[] own = RecordingFormat.write(found.getValue().recording().over(base));
            one.write(own);
            one.expect(found.getValue().walked().lines(found.getValue().recording()));
            total += own.length;
            out.println("  " + one + ": " + own.length + " bytes, " + found.getValue().walked().frames().size()
                    + " frames");
        }
        out.println(folder + ": " + cases.size() + " cases, base " + common.length + ", " + total + " bytes");
    }

    private static void clear(Path folder) throws IOException {
        List<Path> old = new ArrayList<>();
        Set<String> ours = new HashSet<>(Set.of("rec", "txt"));
        try (var files = Files.list(folder)) {
            files.filter(file -> ours.contains(file.toString().replaceAll(".*\\.", ""))).forEach(old::add);
        }
        for (Path file : old) {
            Files.delete(file);
        }
    }
}
