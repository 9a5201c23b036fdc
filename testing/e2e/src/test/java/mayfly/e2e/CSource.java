package mayfly.e2e;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Jdk;

/** A source file of src/test/c, built by gcc. */
final class CSource {
    private CSource() {}

    /** Builds the file unless it is up to date; skips the test if gcc cannot build it. */
    static Path build(String name, String... options) throws IOException {
        return build(Path.of("src", "test", "c", name + ".c"), name, options);
    }

    /** Builds a program that starts JVMs through JNI. The same file works with every JDK. */
    static Path program(String name) throws IOException {
        return build(name, jni("-ldl", "-lpthread"));
    }

    /** Returns the options for the headers of JNI and JVMTI, and others. */
    private static String[] jni(String... more) {
        Path include = Jdk.current().home().resolve("include");
        return Stream.concat(Stream.of("-I" + include, "-I" + include.resolve("linux")), Stream.of(more))
                .toArray(String[]::new);
    }

    /** Builds a library that a JVM loads: native methods or an agent. The same file works with every JDK. */
    static Path library(String name) throws IOException {
        return library(Path.of("src", "test", "c", name + ".c"), name);
    }

    /** Builds a library from a source file of another directory. */
    static Path library(Path source, String name) throws IOException {
        return build(source, name, jni("-shared", "-fPIC"));
    }

    /** Builds a source file of another directory. */
    static Path build(Path source, String name, String... options) throws IOException {
        Path folder = Files.createDirectories(Path.of("target", "c").toAbsolutePath());
        Path built = folder.resolve(name);
        if (Files.exists(built) && Files.getLastModifiedTime(built).compareTo(Files.getLastModifiedTime(source)) >= 0) {
            return built;
        }
        List<String> command =
                new ArrayList<>(List.of("gcc", "-O1", "-Wall", "-o", built.toString(), source.toString()));
        command.addAll(List.of(options));
        try {
            Command gcc = Command.run(Duration.ofSeconds(60), command.toArray(String[]::new));
            assumeTrue(gcc.exitCode() == 0, "gcc cannot build " + source + " here: " + gcc.stderr());
        } catch (UncheckedIOException e) {
            assumeTrue(false, "no gcc: " + e.getMessage());
        }
        return built;
    }
}
