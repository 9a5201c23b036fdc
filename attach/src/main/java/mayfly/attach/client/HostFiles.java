package mayfly.attach.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import mayfly.api.Profiler;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.host.HostLibrary;
import org.jspecify.annotations.Nullable;

/**
 * The host's library and classes, which are sent to a target with the profiler. They are in the same jars or
 * directories as Mayfly's own classes.
 */
public final class HostFiles {
    /** The class that is not sent to the target, because only the trigger needs it. */
    private static final String NOT_FOR_THE_TARGET = "HostLibrary.class";

    private HostFiles() {}

    /**
     * Returns the host's library.
     *
     * @throws AttachFailed if this build has no host, because it was made without a C compiler
     * @throws IOException if the library cannot be read
     */
    public static byte[] library() throws IOException, AttachFailed {
        return bytes(HostLibrary.open());
    }

    /**
     * Returns the library for the command line of a JVM that starts with a profiler.
     *
     * @throws AttachFailed if this build has no host, because it was made without a C compiler
     * @throws IOException if the library cannot be read
     */
    public static byte[] launchLibrary() throws IOException, AttachFailed {
        return bytes(HostLibrary.openLaunch());
    }

    private static byte[] bytes(@Nullable InputStream library) throws IOException, AttachFailed {
        try (@Nullable InputStream in = library) {
            if (in == null) {
                throw new AttachFailed(
                        Status.ATTACH_REFUSED,
                        "this Mayfly was built without a C compiler and has no host: install gcc and build it again");
            }
            return in.readAllBytes();
        }
    }

    /** Returns one class of the host. */
    static byte[] hostClass(String name) throws IOException {
        try (@Nullable InputStream in = HostLibrary.class.getResourceAsStream(name + ".class")) {
            if (in == null) {
                throw new IOException("Mayfly's class " + name + " cannot be read");
            }
            return in.readAllBytes();
        }
    }

    /** Returns the classes of the host and of the api, as entries. */
    static byte[] classes() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        addPackage(out, HostLibrary.class);
        addPackage(out, Profiler.class);
        return out.toByteArray();
    }

    /** Adds all classes of a class's package and the packages below it, from its jar or directory. */
    private static void addPackage(ByteArrayOutputStream out, Class<?> one) throws IOException {
        Path from = ClassLocation.of(one);
        String folder = one.getPackageName().replace('.', '/');
        if (Files.isDirectory(from)) {
            addDirectory(out, from.resolve(folder), folder + "/");
        } else {
            addJar(out, from, folder + "/");
        }
    }

    static void addDirectory(ByteArrayOutputStream out, Path directory, String prefix) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        for (Path file : files) {
            String name = directory.relativize(file).toString();
            if (isForTheTarget(name)) {
                ProfilerJar.add(out, prefix + name, Files.readAllBytes(file));
            }
        }
    }

    /** A file system of the jar would need the module jdk.zipfs, which the Java runtime of an archive does not have. */
    static void addJar(ByteArrayOutputStream out, Path file, String prefix) throws IOException {
        try (ZipFile jar = new ZipFile(file.toFile())) {
            List<? extends ZipEntry> entries = jar.stream()
                    .filter(entry -> entry.getName().startsWith(prefix)
                            && isForTheTarget(entry.getName().substring(prefix.length())))
                    .sorted(Comparator.comparing(ZipEntry::getName))
                    .toList();
            for (ZipEntry entry : entries) {
                try (InputStream in = jar.getInputStream(entry)) {
                    ProfilerJar.add(out, entry.getName(), in.readAllBytes());
                }
            }
        }
    }

    private static boolean isForTheTarget(String name) {
        return name.endsWith(".class")
                && !name.equals(NOT_FOR_THE_TARGET)
                && !name.substring(name.lastIndexOf('/') + 1).equals("package-info.class");
    }
}
