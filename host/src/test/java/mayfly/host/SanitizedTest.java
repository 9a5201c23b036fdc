package mayfly.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the C code that parses external bytes in separate programs with AddressSanitizer and UndefinedBehaviorSanitizer.
 * src/test/c contains the tests, and the fuzz targets with the stored inputs. {@code testing/fuzz/run} searches for new
 * inputs.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class SanitizedTest {
    private static final Path SOURCES = Path.of("src", "test", "c");
    private static final Path SCRIPT =
            Path.of("src", "test", "sh", "sanitized.sh").toAbsolutePath();
    private static final Path OUTPUT = Path.of("target", "sanitized").toAbsolutePath();
    private static final int SKIPPED = 77;
    /** Each program prints one line for each test or input. */
    private static final String DONE = "(?m)^\\S+$";

    static List<String> tests() throws IOException {
        return programs(SOURCES, "_test.c", "");
    }

    static List<String> targets() throws IOException {
        List<String> targets = programs(SOURCES.resolve("fuzz"), ".c", "fuzz/");
        targets.remove("fuzz/replay");
        return targets;
    }

    private static List<String> programs(Path folder, String ending, String before) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return new ArrayList<>(files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(ending))
                    .map(name -> before + name.substring(0, name.length() - 2))
                    .sorted()
                    .toList());
        }
    }

    @ParameterizedTest
    @MethodSource("tests")
    void aTestInCPassesUnderTheSanitizers(String name) throws Exception {
        assertThat(run(name)).containsPattern(DONE);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void corpusInputsPassUnderTheSanitizers(String name) throws Exception {
        try (Stream<Path> inputs = Files.list(SOURCES.resolve(name + "-inputs"))) {
            String printed = run(name);
            assertThat(inputs.toList())
                    .isNotEmpty()
                    .allSatisfy(input ->
                            assertThat(printed).contains(input.getFileName().toString()));
        }
    }

    @ParameterizedTest
    @CsvSource({"a, AddressSanitizer: heap-buffer-overflow", "u, signed integer overflow"})
    void plantedFaultIsReportedByTheSanitizers(String which, String report) throws Exception {
        Result result = execute("planted_fault", Map.of("MAYFLY_PLANTED", which));
        assertThat(result.status()).isNotZero();
        assertThat(result.printed()).contains(report);
    }

    private record Result(int status, String printed) {}

    private static String run(String name) throws IOException, InterruptedException {
        Result result = execute(name, Map.of());
        assertThat(result.status())
                .as("%s printed:%n%s", name, result.printed())
                .isZero();
        return result.printed();
    }

    private static Result execute(String name, Map<String, String> environment)
            throws IOException, InterruptedException {
        Files.createDirectories(OUTPUT);
        Path printed = OUTPUT.resolve(name.replace('/', '-') + ".log");
        ProcessBuilder builder = new ProcessBuilder("sh", SCRIPT.toString(), OUTPUT.toString(), name)
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        try {
            process.waitFor();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
        String text = Files.readString(printed, StandardCharsets.ISO_8859_1);
        assumeTrue(process.exitValue() != SKIPPED, text.strip());
        return new Result(process.exitValue(), text);
    }
}
