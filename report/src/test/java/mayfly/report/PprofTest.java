package mayfly.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.TextFormat;
import com.google.protobuf.UnknownFieldSet;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import mayfly.profile.Profile;
import mayfly.profile.Unit;
import mayfly.profile.WalkOutcome;
import mayfly.report.text.HottestPaths;
import mayfly.report.tree.ConversionOptions;
import mayfly.report.tree.TopFrames;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PprofTest {
    private static final ConversionOptions THREADS = new ConversionOptions(true, true, false, false, null);
    private static final ConversionOptions NO_NATIVE = new ConversionOptions(false, false, false, false, null);

    @TempDir
    Path folder;

    private static byte[] pprof(Profile profile, ConversionOptions options) throws IOException {
        var out = new ByteArrayOutputStream();
        Conversion.write(profile, Format.PPROF, options, out);
        return out.toByteArray();
    }

    private static Profile small() throws IOException {
        return new RecordingBuilder()
                .stack("main", 3, "n libc.so.6 start", "2 a.B.run", "i a.B.loop", "n libz.so.1 inflate")
                .stack("main", WalkOutcome.NO_CFI, 1, 10_101_010, "n libz.so.1", "k read")
                .stack("w\u001b;1", 2, "s call_stub", "0 a.B.run")
                .profile();
    }

    /** The wire format as read by an independent decoder. */
    @Test
    void pprofOutputEqualsGoldenFile() throws IOException {
        byte[] plain =
                new GZIPInputStream(new ByteArrayInputStream(pprof(small(), ConversionOptions.DEFAULT))).readAllBytes();
        Golden.compare(
                "small.pprof.txt",
                TextFormat.printer().escapingNonAscii(true).printToString(UnknownFieldSet.parseFrom(plain)));
    }

    @Test
    @Tag("slow")
    void goToolPprofShowsTheWeightsOfTheTopFrames() throws Exception {
        String top = tool(
                "-top",
                "-nodecount=1000",
                "-nodefraction=0",
                "-edgefraction=0",
                "-sample_index=samples",
                "-unit=count");
        List<TopFrames.Row> rows = HottestPaths.of(Examples.service(), ConversionOptions.DEFAULT, 1000)
                .top();
        var found = new ArrayList<String>();
        top.lines()
                .map(String::strip)
                .filter(line -> line.matches("[0-9]+ .*%.*"))
                .forEach(line -> {
                    String[] words = line.split(" +", 6);
                    found.add(words[5] + " " + words[0] + " " + words[3]);
                });
        assertThat(found)
                .containsExactlyInAnyOrderElementsOf(rows.stream()
                        .map(row -> row.label() + " " + row.self() + " " + row.total())
                        .toList());
    }

    @Test
    @Tag("slow")
    void goToolPprofShowsThreadsAndLedger() throws Exception {
        assertThat(tool("-tags")).contains("worker-1", "GC Thread#0", "tid");
        assertThat(tool("-comments")).contains("java -jar orders.jar --port 8080", "complete: ", "r1 HotSpot 25.0.1");
        assertThat(tool("-traces")).contains("[broken:no_cfi]", "[truncated]");
    }

    /** pprof uses the first mapping as the program, and prints its name above each report. */
    @Test
    @Tag("slow")
    void goToolPprofNamesTheProgramAboveAReport() throws Exception {
        List<String> above = tool("-top")
                .lines()
                .takeWhile(line -> !line.startsWith("Type: "))
                .toList();
        assertThat(above).containsExactly("File: java", "pid 4711: java -jar orders.jar --port 8080");
    }

    private String tool(String... options) throws Exception {
        Path go = go();
        Path file = Files.write(folder.resolve("service.pb.gz"), pprof(Examples.service(), ConversionOptions.DEFAULT));
        var command = new ArrayList<>(List.of(go.toString(), "tool", "pprof", "-symbolize=none"));
        command.addAll(List.of(options));
        command.add(file.toString());
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("PPROF_TMPDIR", folder.toString());
        Process process = builder.start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isZero();
        return text;
    }

    private static Path go() throws IOException {
        var places = new ArrayList<Path>();
        for (String folder : System.getenv("PATH").split(":")) {
            places.add(Path.of(folder, "go"));
        }
        try (Stream<Path> versions = Files.list(Path.of("/usr/lib"))) {
            versions.filter(path -> path.getFileName().toString().startsWith("go-"))
                    .map(path -> path.resolve("bin/go"))
                    .forEach(places::add);
        }
        var found = places.stream().filter(Files::isExecutable).findFirst();
        assumeTrue(found.isPresent(), "go is not installed");
        return found.orElseThrow();
    }

    @Test
    void allocationProfileIsInBytes() throws IOException {
        Profile profile = new RecordingBuilder(Unit.BYTES, "", "")
                .stack("t", WalkOutcome.COMPLETE, 2, 512, "2 a.B.c")
                .profile();
        byte[] plain = new GZIPInputStream(new ByteArrayInputStream(pprof(profile, THREADS))).readAllBytes();
        assertThat(new String(plain, StandardCharsets.ISO_8859_1))
                .contains("bytes")
                .doesNotContain("nanoseconds");
    }

    @Test
    void threadOrNativePlaceholderIsTheRoot() throws IOException {
        byte[] threads = new GZIPInputStream(new ByteArrayInputStream(pprof(small(), THREADS))).readAllBytes();
        assertThat(new String(threads, StandardCharsets.ISO_8859_1)).contains("w\\u001b;1");
        byte[] java = new GZIPInputStream(new ByteArrayInputStream(pprof(small(), NO_NATIVE))).readAllBytes();
        assertThat(new String(java, StandardCharsets.ISO_8859_1))
                .contains("[native]")
                .doesNotContain("inflate");
    }
}
