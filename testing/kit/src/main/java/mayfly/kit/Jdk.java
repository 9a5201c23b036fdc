package mayfly.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * An installed JDK.
 *
 * @param home its folder, symbolic links resolved
 * @param feature its feature version, such as 17
 * @param version its full version, such as 17.0.15
 */
public record Jdk(Path home, int feature, String version) {
    private static final int OLDEST = 11;

    /**
     * Returns every JDK found, oldest first: those of {@code MAYFLY_TEST_JDKS} (homes, or folders of homes, separated
     * by colons), of {@code testing/jdks}, of {@code /usr/lib/jvm}, and the JDK that runs this program. JREs without
     * jcmd are omitted.
     */
    public static List<Jdk> installed() {
        List<Path> homes = new ArrayList<>();
        String named = System.getenv("MAYFLY_TEST_JDKS");
        if (named != null && !named.isBlank()) {
            for (String path : named.split(":")) {
                homes.add(Path.of(path));
                homes.addAll(children(Path.of(path)));
            }
        }
        homes.addAll(children(Project.root().resolve("testing/jdks")));
        homes.addAll(children(Path.of("/usr/lib/jvm")));
        homes.add(Path.of(System.getProperty("java.home")));
        Map<Path, Jdk> found = new LinkedHashMap<>();
        for (Path home : homes) {
            at(home).ifPresent(jdk -> found.putIfAbsent(jdk.home, jdk));
        }
        return found.values().stream()
                .filter(jdk -> jdk.feature >= OLDEST)
                .sorted(Comparator.comparingInt(Jdk::feature).thenComparing(jdk -> jdk.home))
                .toList();
    }

    /** Returns the first JDK found of each feature version, oldest first. */
    public static List<Jdk> oneOfEach() {
        Map<Integer, Jdk> first = new LinkedHashMap<>();
        installed().forEach(jdk -> first.putIfAbsent(jdk.feature, jdk));
        return List.copyOf(first.values());
    }

    /** Returns a JDK of this feature version if one is installed. */
    public static Optional<Jdk> find(int feature) {
        return installed().stream().filter(jdk -> jdk.feature == feature).findFirst();
    }

    /** Returns the JDK that runs this program. */
    public static Jdk current() {
        return at(Path.of(System.getProperty("java.home"))).orElseThrow();
    }

    /** Returns one of its programs, such as {@code java} or {@code jcmd}. */
    public Path tool(String name) {
        return home.resolve("bin").resolve(name);
    }

    /** Returns its libjvm.so. */
    public Path libjvm() {
        return home.resolve("lib/server/libjvm.so");
    }

    /**
     * Returns the words before a native program that loads its libjvm. They are the dynamic linker beside it and its
     * options if {@code testing/get-jdks} has installed it together with a newer C library; otherwise there are none.
     */
    public List<String> dynamicLinker() {
        Path libraries = home.resolve("libc");
        Path linker = libraries.resolve("ld-linux-x86-64.so.2");
        return Files.isExecutable(linker)
                ? List.of(linker.toString(), "--library-path", libraries.toString())
                : List.of();
    }

    @Override
    public String toString() {
        return "JDK " + feature;
    }

    private static Optional<Jdk> at(Path folder) {
        try {
            Path home = folder.toRealPath();
            Path release = home.resolve("release");
            if (!Files.isRegularFile(release) || !Files.isExecutable(home.resolve("bin/jcmd"))) {
                return Optional.empty();
            }
            Properties words = new Properties();
            try (var in = Files.newBufferedReader(release)) {
                words.load(in);
            }
            String version = words.getProperty("JAVA_VERSION", "").replace("\"", "");
            return Optional.of(new Jdk(home, Runtime.Version.parse(version).feature(), version));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static List<Path> children(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> children = Files.list(folder)) {
            return children.sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
