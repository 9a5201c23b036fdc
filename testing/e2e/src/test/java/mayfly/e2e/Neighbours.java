package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;

/** Other tools in a JVM: diagnostic commands, async-profiler and JFR. */
final class Neighbours {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));

    private Neighbours() {}

    /** Runs a diagnostic command in a JVM, and returns its output. */
    static String jcmd(Jvm jvm, String... words) {
        return run("jcmd", Stream.concat(Stream.of(Long.toString(jvm.pid())), Stream.of(words)));
    }

    /** Loads a native agent into a JVM. */
    static void load(Jvm jvm, Path library, String options) {
        jcmd(jvm, "JVMTI.agent_load", library.toString(), '"' + options + '"');
    }

    /** Returns the numbers of the events in a recording of JFR. */
    static String summary(Path recording) {
        return run("jfr", Stream.of("summary", recording.toString()));
    }

    private static String run(String tool, Stream<String> words) {
        String path = Jdk.current().tool(tool).toString();
        Command done = Command.run(LIMIT, Stream.concat(Stream.of(path), words).toArray(String[]::new));
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        return done.stdout();
    }

    /** Returns the library of async-profiler; skips the test if it is not on the class path. */
    static Path asyncProfiler(Path folder) throws IOException {
        try (InputStream in = ClassLoader.getSystemResourceAsStream("linux-x64/libasyncProfiler.so")) {
            assumeTrue(in != null, "no async-profiler on the class path");
            Path library = folder.resolve("libasyncProfiler.so");
            Files.copy(in, library, StandardCopyOption.REPLACE_EXISTING);
            return library;
        }
    }
}
