package mayfly.e2e;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Predicate;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import mayfly.api.Event;
import mayfly.host.HostLibrary;
import mayfly.profilers.testing.NotAProfiler;
import mayfly.profilers.testing.ScriptedProfiler;

/** Jars of profilers, as the build of a tool author would create them. */
final class ProfilerJars {
    static final String ALL_EVENTS =
            "THREADS, CLASS_LOADS, MODULE_LOADS, GARBAGE_COLLECTIONS, COMPILED_METHODS, SUSPENSIONS, "
                    + "STACK_SNAPSHOTS, ALLOCATIONS, MONITORS, COMPILATIONS, CLASS_LOAD_STARTS";

    private ProfilerJars() {}

    /** The names of events, as in a manifest. */
    static String names(Predicate<Event> events) {
        return Arrays.stream(Event.values()).filter(events).map(Event::name).collect(Collectors.joining(", "));
    }

    /** A jar of {@link ScriptedProfiler}, which may subscribe to these events. */
    static Path scripted(Path folder, String events) throws IOException {
        return jar(folder.resolve("scripted.jar"), manifest(ScriptedProfiler.class.getName(), "1", events));
    }

    /** A jar of the scripted profiler whose manifest declares the JVMs that it is for. */
    static Path scripted(Path folder, String events, String runtimes) throws IOException {
        Manifest manifest = manifest(ScriptedProfiler.class.getName(), "1", events);
        manifest.getMainAttributes().putValue("Mayfly-Runtimes", runtimes);
        return jar(folder.resolve("scripted-" + runtimes.replace(' ', '-') + ".jar"), manifest);
    }

    static Manifest manifest(String profiler, String api, String events) {
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue("Mayfly-Profiler", profiler);
        main.putValue("Mayfly-Api", api);
        main.putValue("Mayfly-Events", events);
        return manifest;
    }

    /** A jar of {@link ScriptedProfiler} with an additional class for Java 99. */
    static Path withLaterClass(Path file) throws IOException {
        byte[] later;
        try (InputStream in = NotAProfiler.class.getResourceAsStream("NotAProfiler.class")) {
            later = in.readAllBytes();
        }
        later[6] = 0;
        later[7] = (byte) (44 + 99);
        return jar(
                file,
                manifest(ScriptedProfiler.class.getName(), "1", ""),
                Map.of("mayfly/profilers/testing/Later.class", later));
    }

    /** A jar of {@link ScriptedProfiler} with an additional entry of that many bytes. */
    static Path with(Path file, int bytes) throws IOException {
        return jar(file, manifest(ScriptedProfiler.class.getName(), "1", ""), Map.of("ballast", new byte[bytes]));
    }

    static Path jar(Path file, Manifest manifest) throws IOException {
        return jar(file, manifest, Map.of());
    }

    /** Skips the test if there is no host library to attach a profiler. */
    static void requireHost() throws IOException {
        try (InputStream library = HostLibrary.open()) {
            assumeTrue(library != null, "built without a C compiler, so there is no host");
        }
    }

    /**
     * A jar with the classes of the test profilers and the given entries. Skips the test if there is no host library to
     * attach them.
     */
    private static Path jar(Path file, Manifest manifest, Map<String, byte[]> more) throws IOException {
        requireHost();
        Path from = Path.of(ScriptedProfiler.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out, manifest)) {
            if (Files.isDirectory(from)) {
                addAll(from, jar);
            } else {
                try (FileSystem built = FileSystems.newFileSystem(from)) {
                    addAll(built.getPath("/"), jar);
                }
            }
            for (Map.Entry<String, byte[]> entry : more.entrySet()) {
                jar.putNextEntry(new ZipEntry(entry.getKey()));
                jar.write(entry.getValue());
                jar.closeEntry();
            }
        }
        return file;
    }

    static void addAll(Path root, JarOutputStream jar) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.filter(name -> name.toString().endsWith(".class"))
                    .sorted()
                    .toList()) {
                jar.putNextEntry(new ZipEntry(root.relativize(path).toString()));
                Files.copy(path, jar);
                jar.closeEntry();
            }
        }
    }
}
