package mayfly.attach.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import mayfly.api.Profiler;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.host.HostLibrary;
import org.jspecify.annotations.Nullable;

/**
 * The host's library and classes, which are sent to a target with the profiler. They come from where Mayfly's own
 * classes are.
 */
public final class HostFiles {
    /** Not sent to the target: only the client needs it. */
    private static final String NOT_FOR_THE_TARGET = "HostLibrary.class";

    private HostFiles() {
    }

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
                throw new AttachFailed(Status.ATTACH_REFUSED,
                        "this Mayfly was built without a C compiler and has no host: install gcc and build it again");
            }
            return in.readAllBytes();
        }
    }

    /** Returns one class of the host. */
    static byte[] hostClass(String name) throws IOException {
        try (@Nullable InputStream in = HostLibrary.class.getResourceAsStream(name + ".class")) {
            if (in == null) {
                throw new IOException("our own class " + name + " cannot be read");
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

    /** Adds all classes of a class's package, from its jar or directory. */
    private static void addPackage(ByteArrayOutputStream out, Class<?> one) throws IOException {
        CodeSource source = one.getProtectionDomain().getCodeSource();
        if (source == null) {
            throw new IOException("where " + one + " comes from is not known");
        }
        Path from;
        try {
            from = Path.of(source.getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
        String folder = one.getPackageName().replace('.', '/');
        if (Files.isDirectory(from)) {
            addAll(out, from.resolve(folder), folder);
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(URI.create("jar:" + from.toUri()), Map.of())) {
                addAll(out, jar.getPath(folder), folder);
            }
        }
    }

    private static void addAll(ByteArrayOutputStream out, Path directory, String folder) throws IOException {
        List<Path> classes;
        try (Stream<Path> all = Files.list(directory)) {
            classes = all.sorted().toList();
        }
        for (Path file : classes) {
            String name = String.valueOf(file.getFileName());
            if (name.endsWith(".class") && !name.equals(NOT_FOR_THE_TARGET) && !name.equals("package-info.class")) {
                ProfilerJar.add(out, folder + "/" + name, Files.readAllBytes(file));
            }
        }
    }
}
