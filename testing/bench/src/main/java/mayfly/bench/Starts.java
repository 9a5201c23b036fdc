package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Project;
import mayfly.profile.BadCapture;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import org.jspecify.annotations.Nullable;

/** The share of complete stacks in the samples of a program from its first instruction to its end. */
final class Starts {
    private static final int HZ = 999;
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int NOBODY = 65534;
    /** The last part of the program's life. */
    private static final long LAST_NANOS = 200_000_000;

    private long samples;
    private long complete;
    private long lastSamples;
    private long lastComplete;
    private final Map<String, Long> broken = new TreeMap<>();

    private Starts() {}

    static void measure(Page page, Path folder, Jdk jdk, int runs) {
        of(page, folder, jdk, "Hello", runs, Jvm.run("Hello").on(jdk));
        of(
                page,
                folder,
                jdk,
                "2 s of CPU, then main returns",
                Math.max(1, runs / 20),
                Jvm.run("CpuThenExit").on(jdk).args("return", "2000"));
        of(
                page,
                folder,
                jdk,
                "2 s of CPU, then SIGKILL",
                Math.max(1, runs / 20),
                Jvm.run("CpuThenExit").on(jdk).args("KILL", "2000"));
        withoutPrivileges(page, folder, jdk, Math.max(1, runs / 20));
        Path library = untouchedBuffer();
        if (library == null) {
            page.note(jdk + ": no gcc, so the young threads are not measured");
        } else {
            of(
                    page,
                    folder,
                    jdk,
                    "young threads, 256 KiB never touched",
                    Math.max(1, runs / 20),
                    Jvm.run("UntouchedBuffer").on(jdk).args(library.toString(), "100"));
        }
    }

    /**
     * Measures without privileges: the memory of the program is not held, so the samples since the last drain are lost
     * when it ends.
     */
    private static void withoutPrivileges(Page page, Path folder, Jdk jdk, int runs) {
        Path theirs = folder.resolve("theirs");
        try {
            Files.createDirectories(theirs);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
            Files.setAttribute(theirs, "unix:uid", NOBODY);
        } catch (IOException e) {
            page.note(jdk + ": no run without privileges: " + e.getMessage());
            return;
        }
        List<String> setpriv = List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
        for (String how : List.of("return", "KILL")) {
            page.progress("starts: " + jdk + ", without privileges, " + how + ", " + runs + " runs");
            Starts counted = new Starts();
            List<String> command =
                    Jvm.run("CpuThenExit").on(jdk).args(how, "2000").command();
            for (int i = 0; i < runs; i++) {
                List<String> line = new ArrayList<>(List.of("run", "-q", "-F", Integer.toString(HZ), "--"));
                line.addAll(command);
                counted.run(page, theirs, line, setpriv);
            }
            counted.report(
                    page, Integer.toString(jdk.feature()), "2 s of CPU, then " + how + ", by an ordinary user", runs);
        }
    }

    static void demo(Page page, Path folder, int runs) {
        Starts counted = new Starts();
        for (int i = 0; i < runs; i++) {
            counted.run(page, folder, List.of("demo", "-q", "-F", Integer.toString(HZ)), List.of());
        }
        counted.report(page, "25", "mayfly demo", runs);
    }

    private static void of(Page page, Path folder, Jdk jdk, String name, int runs, Jvm.Plan plan) {
        page.progress("starts: " + jdk + ", " + name + ", " + runs + " runs");
        Starts counted = new Starts();
        for (int i = 0; i < runs; i++) {
            List<String> line = new ArrayList<>(List.of("run", "-q", "-F", Integer.toString(HZ)));
            line.add("--");
            line.addAll(plan.command());
            counted.run(page, folder, line, List.of());
        }
        counted.report(page, Integer.toString(jdk.feature()), name, runs);
    }

    /** Returns the library that {@code UntouchedBuffer} loads, or null if it cannot be built on this machine. */
    private static @Nullable Path untouchedBuffer() {
        Path source = Project.root().resolve("testing/targets/src/main/c/untouchedbuffer.c");
        Path library = Project.root().resolve("testing/targets/target/libuntouchedbuffer.so");
        Path include = Jdk.current().home().resolve("include");
        Command gcc = Command.run(
                LIMIT,
                "gcc",
                "-O1",
                "-shared",
                "-fPIC",
                "-I" + include,
                "-I" + include.resolve("linux"),
                "-o",
                library.toString(),
                source.toString());
        return gcc.exitCode() == 0 ? library : null;
    }

    private void run(Page page, Path folder, List<String> line, List<String> prefix) {
        Path capture = folder.resolve("starts.mayfly");
        List<String> whole = new ArrayList<>(line);
        whole.addAll(1, List.of("-o", capture.toString()));
        Command done = LaunchedMayfly.runUnder(prefix, LIMIT, folder, whole.toArray(String[]::new));
        try {
            add(CaptureReader.read(capture));
            Files.delete(capture);
        } catch (IOException | BadCapture e) {
            page.note("a run left no capture: " + e.getMessage() + " "
                    + done.stderr().lines().findFirst().orElse(""));
        }
    }

    private void add(Profile profile) {
        long last = 0;
        for (int i = 0; i < profile.sampleCount(); i++) {
            last = Math.max(last, profile.nanosOf(i));
        }
        for (int i = 0; i < profile.sampleCount(); i++) {
            boolean isComplete = profile.outcomeOf(i) == WalkOutcome.COMPLETE;
            samples++;
            complete += isComplete ? 1 : 0;
            if (profile.nanosOf(i) > last - LAST_NANOS) {
                lastSamples++;
                lastComplete += isComplete ? 1 : 0;
            }
            if (!isComplete) {
                broken.merge(profile.outcomeOf(i).id(), 1L, Long::sum);
            }
        }
    }

    private void report(Page page, String jdk, String name, int runs) {
        page.row(
                jdk,
                name,
                runs,
                samples,
                percent(complete, samples),
                percent(lastComplete, lastSamples),
                broken.entrySet().stream()
                        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                        .map(entry -> entry.getKey() + " " + entry.getValue())
                        .collect(Collectors.joining(", ")));
    }

    private static String percent(long part, long whole) {
        return whole == 0 ? "" : "%.3f".formatted(Math.floor(100_000.0 * part / whole) / 1000);
    }
}
