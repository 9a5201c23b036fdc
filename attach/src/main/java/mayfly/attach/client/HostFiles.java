package mayfly.attach.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import mayfly.api.Event;
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
    /** The packages of the host that it needs for probes only. */
    private static final List<String> DEFERRED_FOLDERS = List.of("probe/asm/", "probe/slot/");

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

    /**
     * Returns the library by which a JVM starts with a profiler only if it can open the launch library.
     *
     * @throws AttachFailed if this build has no host, because it was made without a C compiler
     * @throws IOException if the library cannot be read
     */
    public static byte[] preloadLibrary() throws IOException, AttachFailed {
        return bytes(HostLibrary.openPreload());
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

    /**
     * Returns the classes of the host and of the api, as entries. If the profiler may insert probes, they include those
     * that the host defines with the first probe.
     */
    static byte[] classes(Set<Event> events) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        addPackage(out, HostLibrary.class, Part.AT_START);
        addPackage(out, Profiler.class, Part.AT_START);
        if (events.contains(Event.METHOD_PROBES)) {
            addPackage(out, HostLibrary.class, Part.DEFERRED);
            addPackage(out, HostLibrary.ofAsm(), Part.ASM);
        }
        return out.toByteArray();
    }

    /** Adds the classes of a class's package and the packages below it, from its jar or directory. */
    private static void addPackage(ByteArrayOutputStream out, Class<?> one, Part part) throws IOException {
        Path from = ClassLocation.of(one);
        String folder = one.getPackageName().replace('.', '/');
        if (Files.isDirectory(from)) {
            addDirectory(out, from.resolve(folder), folder + "/", part);
        } else {
            addJar(out, from, folder + "/", part);
        }
    }

    static void addDirectory(ByteArrayOutputStream out, Path directory, String prefix, Part part) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        for (Path file : files) {
            String name = directory.relativize(file).toString();
            if (part.has(name)) {
                ProfilerJar.add(out, prefix + name + part.suffix(), Files.readAllBytes(file));
            }
        }
    }

    /** A file system of the jar would need the module jdk.zipfs, which the Java runtime of an archive does not have. */
    static void addJar(ByteArrayOutputStream out, Path file, String prefix, Part part) throws IOException {
        try (ZipFile jar = new ZipFile(file.toFile())) {
            List<? extends ZipEntry> entries = jar.stream()
                    .filter(entry -> entry.getName().startsWith(prefix)
                            && part.has(entry.getName().substring(prefix.length())))
                    .sorted(Comparator.comparing(ZipEntry::getName))
                    .toList();
            for (ZipEntry entry : entries) {
                try (InputStream in = jar.getInputStream(entry)) {
                    ProfilerJar.add(out, entry.getName() + part.suffix(), in.readAllBytes());
                }
            }
        }
    }

    /** The classes of a package that are sent together. */
    enum Part {
        /** Those that the host defines when it starts. */
        AT_START(""),
        /** Those of the host that it defines with the first probe. Their names keep it from defining them earlier. */
        DEFERRED(".deferred"),
        /** Those of ASM, for the same time; without its parser of generic signatures, which the host does not use. */
        ASM(".deferred");

        private final String suffix;

        Part(String suffix) {
            this.suffix = suffix;
        }

        /** Returns what follows the name of a class file in the name of its entry. */
        private String suffix() {
            return suffix;
        }

        /** Returns true if a file belongs to this part. */
        private boolean has(String name) {
            return isClass(name)
                    && switch (this) {
                        case AT_START -> !name.equals(NOT_FOR_THE_TARGET) && !isDeferred(name);
                        case DEFERRED -> isDeferred(name);
                        case ASM -> !name.startsWith("signature/");
                    };
        }

        private static boolean isClass(String name) {
            return name.endsWith(".class")
                    && !name.substring(name.lastIndexOf('/') + 1).equals("package-info.class");
        }

        private static boolean isDeferred(String name) {
            return DEFERRED_FOLDERS.stream().anyMatch(name::startsWith);
        }
    }
}
