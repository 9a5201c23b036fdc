package mayfly.attach.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import mayfly.api.Event;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostFilesTest {
    private static final List<String> FILES = List.of(
            "b/Two.class",
            "a/b/Deep.class",
            "b/One.class",
            "b/One$1.class",
            "b/HostLibrary.class",
            "b/package-info.class",
            "b/notes.txt",
            "module-info.class",
            "b/c/package-info.class",
            "b/c/Other.class");

    @TempDir
    private Path folder;

    private Path jar() throws IOException {
        Path jar = folder.resolve("classes.jar");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (String file : FILES) {
                out.putNextEntry(new ZipEntry(file));
                out.write(contents(file));
            }
        }
        return jar;
    }

    private static byte[] contents(String file) {
        return ("contents of " + file).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] expected(String... files) throws IOException {
        var out = new ByteArrayOutputStream();
        for (String file : files) {
            ProfilerJar.add(out, file, contents(file));
        }
        return out.toByteArray();
    }

    @Test
    void classesOfPackagesInAJarAreThoseForTheTarget() throws IOException {
        var out = new ByteArrayOutputStream();
        HostFiles.addJar(out, jar(), "b/", HostFiles.Part.AT_START);
        assertThat(out.toByteArray())
                .isEqualTo(expected("b/One$1.class", "b/One.class", "b/Two.class", "b/c/Other.class"));
    }

    @Test
    void directoryHasTheSameClassesAsAJar() throws IOException {
        for (String file : FILES) {
            Path path = folder.resolve(file);
            Files.createDirectories(path.getParent());
            Files.write(path, contents(file));
        }
        var out = new ByteArrayOutputStream();
        HostFiles.addDirectory(out, folder.resolve("b"), "b/", HostFiles.Part.AT_START);
        assertThat(out.toByteArray())
                .isEqualTo(expected("b/One$1.class", "b/One.class", "b/Two.class", "b/c/Other.class"));
    }

    @Test
    void classesForProbesHaveOtherNamesInTheirEntriesAndAreNotAmongThoseForTheStart() throws IOException {
        Path jar = folder.resolve("probes.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (String file : List.of("b/probe/asm/A.class", "b/probe/P.class", "b/probe/slot/S.class")) {
                zip.putNextEntry(new ZipEntry(file));
                zip.write(contents(file));
            }
        }
        var atStart = new ByteArrayOutputStream();
        HostFiles.addJar(atStart, jar, "b/", HostFiles.Part.AT_START);
        assertThat(atStart.toByteArray()).isEqualTo(expected("b/probe/P.class"));
        var deferred = new ByteArrayOutputStream();
        HostFiles.addJar(deferred, jar, "b/", HostFiles.Part.DEFERRED);
        var named = new ByteArrayOutputStream();
        for (String file : List.of("b/probe/asm/A.class", "b/probe/slot/S.class")) {
            ProfilerJar.add(named, file + ".deferred", contents(file));
        }
        assertThat(deferred.toByteArray()).isEqualTo(named.toByteArray());
    }

    @Test
    void asmIsSentOnlyForAProfilerThatMayInsertProbes() throws IOException {
        String without = entries(EnumSet.complementOf(EnumSet.of(Event.METHOD_PROBES)));
        assertThat(without).contains("mayfly/host/probe/ProbeCode.class").doesNotContain("objectweb", ".deferred");
        assertThat(entries(Set.of(Event.METHOD_PROBES)))
                .contains(
                        "mayfly/host/probe/ProbeCode.class",
                        "org/objectweb/asm/ClassReader.class.deferred",
                        "mayfly/host/probe/asm/ProbeInserter.class.deferred")
                .doesNotContain("asm/signature", "HostLibrary");
    }

    /** Returns the names of the entries for a profiler whose manifest lists some events. */
    private static String entries(Set<Event> events) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(HostFiles.classes(events)).order(ByteOrder.LITTLE_ENDIAN);
        List<String> names = new ArrayList<>();
        while (in.hasRemaining()) {
            byte[] name = new byte[in.getInt()];
            in.get(name);
            names.add(new String(name, StandardCharsets.UTF_8));
            in.position(in.position() + 4 + in.getInt(in.position()));
        }
        assertThat(names).doesNotHaveDuplicates();
        return String.join(" ", names);
    }
}
