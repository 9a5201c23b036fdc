package mayfly.attach.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Enumeration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import mayfly.api.Event;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import org.jspecify.annotations.Nullable;

/**
 * A profiler's jar, read and checked before the target is affected.
 *
 * @param className the profiler's class
 * @param events the events that it may request
 * @param scheme the JVMs of a process that it is for; null if its manifest declares none
 * @param entries its content, encoded as in docs/formats/host-channel.md
 */
public record ProfilerJar(
        String className, Set<Event> events, @Nullable Scheme scheme, byte[] entries) {
    /** The JVMs that a profiler is for, if a process has several: Mayfly-Runtimes in its manifest. */
    public enum Scheme {
        /** The first JVM of the process. */
        FIRST,
        /** One JVM, which the user chooses. */
        ONE,
        /** All JVMs, or those that the user chooses. */
        MANY;

        /** Returns the word in the manifest. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The profilers that the user accepts, by the version of the api that they are built for. */
    public enum ApiPolicy {
        /** Those built for the version of this Mayfly. */
        SAME,
        /** Those built for its version or an earlier one. */
        OLDER,
        /** All versions. A call that this Mayfly does not have fails when the profiler makes it. */
        ANY;

        /** Returns the word on the command line. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /**
         * Returns true if a profiler is accepted.
         *
         * @param built the version that it is built for
         * @param own the version of this Mayfly
         */
        boolean accepts(int built, int own) {
            return switch (this) {
                case SAME -> built == own;
                case OLDER -> built <= own;
                case ANY -> true;
            };
        }
    }

    /** The version of the api that the host implements. */
    static final int API = 1;
    /**
     * Upper bound on the total size of all entries, in bytes: the target holds them in its heap while it defines the
     * classes.
     */
    static final int MAX_SIZE = 16 << 20;

    private static final int CLASS_MAGIC = 0xCAFEBABE;
    /** The number of bytes of a class file up to the end of its version. */
    private static final int HEAD = 8;
    /** The directory of a multi-release jar with the classes for later versions of Java. */
    private static final String OF_LATER_VERSIONS = "META-INF/versions/";
    /** The class file version of Java 1 is 45: that of Java N is 44 + N. */
    private static final int BEFORE_JAVA_1 = 44;

    /**
     * Reads and checks a profiler's jar.
     *
     * @param chosen the class named by the user, or empty for the manifest's
     * @param policy the versions of the api for which it may be built
     * @param feature the feature version of the target's Java
     * @throws AttachFailed if the jar does not contain a profiler that this Java can run
     */
    public static ProfilerJar read(Path file, Optional<String> chosen, ApiPolicy policy, int feature)
            throws AttachFailed {
        return opened(file, (jar, manifest) -> {
            @Nullable String declared = manifest.getValue("Mayfly-Profiler");
            if (chosen.isEmpty() && declared == null) {
                throw refused("the manifest of " + file + " names no Mayfly-Profiler: name the class, as in "
                        + file.getFileName() + "=com.example.MyProfiler");
            }
            String className = chosen.orElseGet(() -> declared == null ? "" : declared.strip());
            checkApi(file, manifest.getValue("Mayfly-Api"), policy);
            checkClass(file, jar, className, feature);
            return new ProfilerJar(
                    className,
                    events(file, manifest.getValue("Mayfly-Events")),
                    scheme(file, manifest.getValue("Mayfly-Runtimes")).orElse(null),
                    entries(jar));
        });
    }

    /**
     * Reads the scheme that a profiler's manifest declares.
     *
     * @throws AttachFailed if the jar cannot be read, or declares an unknown scheme
     */
    public static Optional<Scheme> schemeOf(Path file) throws AttachFailed {
        return opened(file, (jar, manifest) -> scheme(file, manifest.getValue("Mayfly-Runtimes")));
    }

    private interface Reading<T> {
        T of(JarFile jar, Attributes manifest) throws IOException, AttachFailed;
    }

    private static <T> T opened(Path file, Reading<T> reading) throws AttachFailed {
        if (!Files.isRegularFile(file)) {
            throw refused(Files.exists(file) ? file + " is not a file" : file + " does not exist");
        }
        try (JarFile jar = new JarFile(file.toFile(), false)) {
            return reading.of(
                    jar,
                    jar.getManifest() == null
                            ? new Attributes()
                            : jar.getManifest().getMainAttributes());
        } catch (NoSuchFileException e) {
            throw refused(file + " does not exist");
        } catch (AccessDeniedException e) {
            throw refused("no permission to read " + file);
        } catch (ZipException e) {
            throw refused(file + " is not a jar: " + e.getMessage());
        } catch (IOException e) {
            throw refused(
                    Files.isReadable(file)
                            ? file + " cannot be read: " + e.getMessage()
                            : "no permission to read " + file);
        }
    }

    private static AttachFailed refused(String message) {
        return new AttachFailed(Status.ATTACH_REFUSED, message);
    }

    private static void checkApi(Path file, @Nullable String api, ApiPolicy policy) throws AttachFailed {
        int version;
        try {
            version = api == null ? 0 : Integer.parseInt(api.strip());
        } catch (NumberFormatException e) {
            version = 0;
        }
        if (version < 1) {
            throw refused("the manifest of " + file + " has no valid Mayfly-Api; this Mayfly supports version " + API);
        }
        if (!policy.accepts(version, API)) {
            throw refused(
                    version > API
                            ? file + " needs version " + version + " of the api; this Mayfly supports version " + API
                                    + " (--api any accepts it)"
                            : file + " is built for version " + version + " of the api; --api " + policy.word()
                                    + " accepts only version " + API);
        }
    }

    private static void checkClass(Path file, JarFile jar, String className, int feature)
            throws IOException, AttachFailed {
        ZipEntry entry = jar.getEntry(className.replace('.', '/') + ".class");
        if (entry == null) {
            throw refused(file + " has no class " + className);
        }
        byte[] head = head(jar, entry);
        if (head.length < HEAD || ByteBuffer.wrap(head).getInt(0) != CLASS_MAGIC) {
            throw refused(className + " in " + file + " is not a class file");
        }
        // All classes are checked: one for a later Java would fail at its first use, possibly within a callback.
        for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements(); ) {
            JarEntry each = all.nextElement();
            if (each.getName().endsWith(".class") && !each.getName().startsWith(OF_LATER_VERSIONS)) {
                requireJava(each.getName(), head(jar, each), feature);
            }
        }
    }

    private static byte[] head(JarFile jar, ZipEntry entry) throws IOException {
        try (InputStream in = jar.getInputStream(entry)) {
            return in.readNBytes(HEAD);
        }
    }

    private static void requireJava(String entry, byte[] head, int feature) throws AttachFailed {
        int java = head.length < HEAD ? 0 : (ByteBuffer.wrap(head).getShort(6) & 0xffff) - BEFORE_JAVA_1;
        if (java > feature) {
            String name = entry.substring(0, entry.length() - ".class".length()).replace('/', '.');
            throw refused(name + " is built for Java " + java + "; the target runs Java " + feature);
        }
    }

    private static Optional<Scheme> scheme(Path file, @Nullable String declared) throws AttachFailed {
        if (declared == null) {
            return Optional.empty();
        }
        for (Scheme each : Scheme.values()) {
            if (each.word().equals(declared.strip())) {
                return Optional.of(each);
            }
        }
        throw refused("the manifest of " + file + " declares unknown Mayfly-Runtimes: '" + declared.strip()
                + "'; they are first, one or many");
    }

    private static Set<Event> events(Path file, @Nullable String listed) throws AttachFailed {
        Set<Event> events = EnumSet.noneOf(Event.class);
        for (String name : listed == null ? new String[0] : listed.strip().split("[,\\s]+")) {
            if (name.isEmpty()) {
                continue;
            }
            try {
                events.add(Event.valueOf(name));
            } catch (IllegalArgumentException e) {
                throw refused("the manifest of " + file + " lists an unknown event: " + name);
            }
        }
        return events;
    }

    /** Encodes each entry that is not a directory: its name and its content, each preceded by its length. */
    private static byte[] entries(JarFile jar) throws IOException, AttachFailed {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Enumeration<? extends ZipEntry> all = jar.entries(); all.hasMoreElements(); ) {
            ZipEntry entry = all.nextElement();
            if (entry.isDirectory()) {
                continue;
            }
            try (InputStream in = jar.getInputStream(entry)) {
                byte[] content = in.readNBytes(MAX_SIZE - out.size() + 1);
                add(out, entry.getName(), content);
            }
            if (out.size() > MAX_SIZE) {
                throw refused(jar.getName() + " holds more than " + (MAX_SIZE >> 20)
                        + " MiB unpacked: leave out what the profiler does not use");
            }
        }
        return out.toByteArray();
    }

    static void add(ByteArrayOutputStream out, String name, byte[] content) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        out.writeBytes(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(text.length)
                .array());
        out.writeBytes(text);
        out.writeBytes(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(content.length)
                .array());
        out.writeBytes(content);
    }
}
