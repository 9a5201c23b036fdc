package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.FinalizedProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The order of the last steps of a detach, by the times that the profiler, the JVM and the event log report. */
class DetachOrderTest {
    private static final Pattern UNLOADED = Pattern.compile(
            "\\[(\\d+)ms\\].* unloading class " + Pattern.quote(FinalizedProfiler.class.getName()) + " .*");
    private static final Pattern GONE =
            Pattern.compile("\\{\"time\":\"([^\"]+)\",\"level\":\"information\",\"what\":\"gone\".*");

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-10")
    void profilerIsNotifiedThenReleasedThenUnloadedThenLogged(Jdk jdk) throws Exception {
        Path told = folder.resolve("told");
        Path unloaded = folder.resolve("unloaded");
        Path log = folder.resolve("mayfly/events.jsonl");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-Xlog:class+unload:file=" + unloaded + ":timemillis")
                .start()) {
            Path jar = ProfilerJars.jar(
                    folder.resolve("finalized.jar"), ProfilerJars.manifest(FinalizedProfiler.class.getName(), "1", ""));
            Command attach = LaunchedMayfly.runUnder(
                    List.of("env", "XDG_STATE_HOME=" + folder),
                    Attached.LIMIT,
                    folder,
                    "attach",
                    Long.toString(jvm.pid()),
                    "--profiler",
                    jar.toString());
            assertThat(attach.exitCode()).as(attach.evidence()).isZero();
            ProfilerClient.send(Math.toIntExact(jvm.pid()), told.toString().getBytes(), Attached.LIMIT);
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (matches(log, GONE).isEmpty()) {
                jvm.ask("unload"); // the program's collection
                deadline.check("the detach is not logged: %s", ProfilerClient.status(Math.toIntExact(jvm.pid())));
            }
            List<String> words = new ArrayList<>();
            List<Long> times = new ArrayList<>();
            for (String line : Files.readAllLines(told)) {
                words.add(line.split(" ")[0]);
                times.add(Long.parseLong(line.split(" ")[1]));
            }
            assertThat(words).containsExactly("requested", "detached", "released");
            times.add(Long.parseLong(matches(unloaded, UNLOADED).getFirst()));
            times.add(Instant.parse(matches(log, GONE).getFirst()).toEpochMilli());
            assertThat(times).isSorted();
            HostTrace.awaitNone(jvm);
        }
    }

    /** Returns the first group of each line that matches. */
    private static List<String> matches(Path file, Pattern pattern) throws Exception {
        return Files.readAllLines(file).stream()
                .map(pattern::matcher)
                .filter(Matcher::matches)
                .map(line -> line.group(1))
                .toList();
    }
}
