package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;
import mayfly.api.Profiler;
import mayfly.api.testing.TargetJvm;
import mayfly.client.Mayfly;
import mayfly.kit.Project;
import org.apiguardian.api.API;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.engine.JupiterTestEngine;
import org.junit.platform.commons.JUnitException;
import org.junit.platform.engine.TestEngine;
import org.junit.platform.launcher.Launcher;
import org.opentest4j.AssertionFailedError;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * A project in the folder {@code examples}, built as its author would build it elsewhere: it sees the public artifacts
 * of Mayfly, and nothing else of this checkout. Maven itself builds it in {@link ExamplesTest} only.
 */
final class Example {
    private static final Path ALL = Project.root().resolve("examples");
    /** A folder of this JVM's own, because test classes run at the same time in other JVMs. */
    private static final Path BUILDS = Project.root()
            .resolve("testing/e2e/target/examples")
            .resolve(Long.toString(ProcessHandle.current().pid()));

    private static final Map<String, Example> NAMED = new ConcurrentHashMap<>();

    private final String name;
    private final Path build;
    private final Path jar;

    private Example(String name) {
        this.name = name;
        build = BUILDS.resolve(name);
        jar = build.resolve("target").resolve(name + ".jar");
        try {
            clear(build); // a process had the same id before
            Path classes = Files.createDirectories(build.resolve("target/classes"));
            compile(sources("src/main/java"), List.of(artifact(Profiler.class), artifact(Mayfly.class)), classes);
            pack(classes);
            Path tests = Files.createDirectories(build.resolve("target/test-classes"));
            List<Path> sources = new ArrayList<>(sources("src/test/java"));
            sources.add(Project.root().resolve("testing/e2e/src/test/java/mayfly/e2e/ExampleTests.java"));
            compile(sources, classPathOfTests(), tests);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void clear(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    /** Returns the names of all examples. */
    static List<String> names() throws IOException {
        try (Stream<Path> folders = Files.list(ALL)) {
            return folders.filter(folder -> Files.exists(folder.resolve("pom.xml")))
                    .map(folder -> folder.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    /** Returns an example, which is built once for each JVM that runs tests. */
    static Example named(String name) {
        return NAMED.computeIfAbsent(name, Example::new);
    }

    /** Returns the folder of its sources. */
    static Path folder(String name) {
        return ALL.resolve(name);
    }

    /** Returns the jar of the profiler. */
    Path jar() {
        return jar;
    }

    /** Returns the folder of the build, in which its tests run. */
    Path build() {
        return build;
    }

    /** Returns the class path of its tests: its own classes, three artifacts of Mayfly, and JUnit. */
    List<Path> classPathOfTests() {
        return Stream.concat(
                        Stream.of(build.resolve("target/test-classes"), build.resolve("target/classes")),
                        Stream.of(
                                        Profiler.class,
                                        Mayfly.class,
                                        TargetJvm.class,
                                        Test.class,
                                        JupiterTestEngine.class,
                                        TestEngine.class,
                                        Launcher.class,
                                        JUnitException.class,
                                        AssertionFailedError.class,
                                        API.class)
                                .map(Example::artifact))
                .toList();
    }

    private static Path artifact(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }

    private List<Path> sources(String folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder(name).resolve(folder))) {
            return all.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    private static void compile(List<Path> sources, List<Path> classPath, Path classes) {
        List<String> arguments = new ArrayList<>(
                List.of("--release", "17", "-proc:none", "-Xlint:all,-path", "-Werror", "-d", classes.toString()));
        arguments.add("-cp");
        arguments.add(classPath.stream().map(Path::toString).collect(Collectors.joining(":")));
        sources.forEach(source -> arguments.add(source.toString()));
        var messages = new ByteArrayOutputStream();
        int result =
                ToolProvider.getSystemJavaCompiler().run(null, messages, messages, arguments.toArray(String[]::new));
        assertThat(result).as("%s\n%s", arguments, messages).isZero();
    }

    /** Makes the jar with the manifest that the build file declares. */
    private void pack(Path classes) throws IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifestEntries(name).forEach(attributes::putValue);
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out, manifest)) {
            ProfilerJars.addAll(classes, entries);
        }
    }

    private static Map<String, String> manifestEntries(String name) {
        Node entries = project(name).getElementsByTagName("manifestEntries").item(0);
        Map<String, String> found = new TreeMap<>();
        for (Node each = entries.getFirstChild(); each != null; each = each.getNextSibling()) {
            if (each instanceof Element entry) {
                found.put(entry.getTagName(), entry.getTextContent());
            }
        }
        return found;
    }

    /** Returns the build file. */
    static Element project(String name) {
        return project(folder(name).resolve("pom.xml"));
    }

    static Element project(Path pom) {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(pom.toFile())
                    .getDocumentElement();
        } catch (Exception e) {
            throw new AssertionError(pom + " cannot be read", e);
        }
    }
}
