package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Patience;
import mayfly.kit.Project;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Each project in the folder {@code examples} is usable outside of this checkout. */
class ExamplesTest {
    private static final Duration LIMIT = Patience.of(Duration.ofMinutes(3));

    @TempDir
    private Path folder;

    private Path home;

    @BeforeEach
    void install() throws IOException {
        home = InstalledCommand.in(folder);
    }

    static List<String> names() throws IOException {
        return Example.names();
    }

    static List<Arguments> runs(TestInfo test) throws IOException {
        List<Arguments> runs = new ArrayList<>();
        for (String name : Example.names()) {
            AttachTest.jdks(test).forEach(jdk -> runs.add(Arguments.of(name, jdk)));
        }
        return runs;
    }

    /** With the class path of a stranger: three artifacts of Mayfly, JUnit, and the classes of the example. */
    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("runs")
    void testsOfTheExampleSucceedWithThePublicArtifacts(String name, Jdk jdk) throws IOException {
        ProfilerJars.requireHost();
        Example example = Example.named(name);
        String classPath =
                example.classPathOfTests().stream().map(Path::toString).collect(Collectors.joining(":"));
        Command tests = Command.run(
                LIMIT,
                List.of(jdk.tool("java").toString(), "-cp", classPath, ExampleTests.class.getName()),
                example.build(),
                Map.of("MAYFLY_HOME", home.toString()));
        assertThat(tests.exitCode()).as(tests::evidence).isZero();
    }

    @ParameterizedTest
    @MethodSource("names")
    void buildFileOfTheExampleStandsAloneAndHasTheVersionsOfThisBuild(String name) throws IOException {
        Element project = Example.project(name);
        assertThat(project.getElementsByTagName("parent").getLength()).isZero();
        assertThat(text(project, "artifactId")).isEqualTo(name);
        assertThat(text(project, "finalName")).isEqualTo(name);
        Element root = Example.project(Project.root().resolve("pom.xml"));
        assertThat(text(project, "mayfly.version")).isEqualTo(text(root, "version"));
        assertThat(text(project, "junit.version")).isEqualTo(text(root, "junit.version"));
        Map<String, String> versions = plugins(root);
        assertThat(plugins(project))
                .hasSizeGreaterThan(3)
                .allSatisfy((plugin, version) -> assertThat(version).as(plugin).isEqualTo(versions.get(plugin)));
        NodeList dependencies = project.getElementsByTagName("dependency");
        assertThat(dependencies.getLength()).isPositive();
        for (int i = 0; i < dependencies.getLength(); i++) {
            Element dependency = (Element) dependencies.item(i);
            String artifact = text(dependency, "artifactId");
            assertThat(dependency.getElementsByTagName("version").getLength())
                    .as("%s has a version", artifact)
                    .isOne();
            if (text(dependency, "groupId").equals("mayfly")) {
                assertThat(artifact).isIn("mayfly-api", "mayfly-api-testing", "mayfly-client");
            }
        }
    }

    /** Returns the text of the first element of a name. */
    private static String text(Element project, String name) {
        return project.getElementsByTagName(name).item(0).getTextContent();
    }

    private static Map<String, String> plugins(Element project) {
        Map<String, String> versions = new TreeMap<>();
        NodeList plugins = project.getElementsByTagName("plugin");
        for (int i = 0; i < plugins.getLength(); i++) {
            Element plugin = (Element) plugins.item(i);
            if (plugin.getElementsByTagName("version").getLength() > 0) {
                String version = text(plugin, "version");
                versions.putIfAbsent(
                        text(plugin, "artifactId"),
                        version.startsWith("${") ? text(project, version.substring(2, version.length() - 1)) : version);
            }
        }
        return versions;
    }

    /**
     * The documented command, and mvn test in a copy of each example. The local repository has the downloaded files of
     * the user's, and nothing of Mayfly.
     */
    @Test
    @Tag("deep")
    void copiedExamplesAreTestedByMavenWithTheInstalledArtifacts() throws IOException {
        ProfilerJars.requireHost();
        Path downloads = Path.of(System.getProperty("user.home"), ".m2/repository");
        // The plugin may be there without the files that it needs.
        Command help = Command.run(
                Patience.of(Duration.ofMinutes(2)),
                List.of("mvn", "-B", "-o", "-N", "install:help"),
                Project.root(),
                Map.of());
        assumeTrue(help.exitCode() == 0, "the local repository has no complete maven-install-plugin");
        Path repository = Files.createDirectory(folder.resolve("repository"));
        List<Path> links = new ArrayList<>();
        try (Stream<Path> groups = Files.list(downloads)) {
            for (Path group : groups.filter(each -> !each.endsWith("mayfly")).toList()) {
                links.add(Files.createSymbolicLink(repository.resolve(group.getFileName()), group));
            }
        }
        try {
            testCopies(List.of("mvn", "-B", "-o", "-Dmaven.repo.local=" + repository));
        } finally {
            for (Path link : links) {
                Files.delete(link);
            }
        }
        assertThat(repository.resolve("mayfly"))
                .isDirectoryContaining("glob:**/mayfly-api")
                .isDirectoryNotContaining("glob:**/mayfly-{wire,host,attach,cli}");
    }

    private void testCopies(List<String> maven) throws IOException {
        run(Stream.concat(maven.stream(), installing()).toList(), checkout());
        for (String name : Example.names()) {
            Path copy = folder.resolve("copies").resolve(name);
            copy(Example.folder(name), copy);
            Command tests = run(Stream.concat(maven.stream(), Stream.of("test")).toList(), copy);
            assertThat(tests.stdout()).containsPattern("Tests run: [1-9]");
        }
    }

    /**
     * Returns a copy of the parts of the checkout that the documented command needs. In the checkout itself it would
     * replace jars that other tests are using.
     */
    private Path checkout() throws IOException {
        Path copy = folder.resolve("checkout");
        copy(Project.root().resolve(".mvn"), copy.resolve(".mvn"));
        Path pom = Project.root().resolve("pom.xml");
        Files.copy(pom, copy.resolve("pom.xml"));
        NodeList modules = Example.project(pom).getElementsByTagName("module");
        for (int i = 0; i < modules.getLength(); i++) {
            Path module = Path.of(modules.item(i).getTextContent());
            Files.createDirectories(copy.resolve(module));
            Files.copy(
                    Project.root().resolve(module).resolve("pom.xml"),
                    copy.resolve(module).resolve("pom.xml"));
        }
        for (String room : List.of("api", "client", "api-testing")) {
            copy(Project.root().resolve(room).resolve("src"), copy.resolve(room).resolve("src"));
        }
        return copy;
    }

    /** Returns the arguments of the command that docs/installing.md has. */
    private static Stream<String> installing() throws IOException {
        return Pattern.compile("(?m)^ {4}mvn (.* install)$")
                .matcher(Files.readString(Project.root().resolve("docs/installing.md")))
                .results()
                .flatMap(command -> Stream.of(command.group(1).split(" ")));
    }

    private Command run(List<String> command, Path in) {
        Command done =
                Command.run(Patience.of(Duration.ofMinutes(5)), command, in, Map.of("MAYFLY_HOME", home.toString()));
        assertThat(done.exitCode()).as(done::evidence).isZero();
        return done;
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(each -> !each.startsWith(from.resolve("target")))
                    .toList()) {
                Path target = to.resolve(from.relativize(file));
                Files.createDirectories(target.getParent());
                Files.copy(file, target);
            }
        }
    }
}
